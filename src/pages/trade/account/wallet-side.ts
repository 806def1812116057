import { sentenceOf } from './connecting.ts'
import { AlteredDocument } from './document-check.ts'
import { openLinked } from './linked-account.ts'
import { brokerOf, consent, ownSigner, secretSigner, takeSecret } from './owner.ts'

/** The code that signs with a wallet, as one part: several parts would weigh more. */
export const WALLET_SIDE = {
  ...{ sentenceOf, AlteredDocument, openLinked },
  ...{ brokerOf, consent, ownSigner, secretSigner, takeSecret },
} as const
