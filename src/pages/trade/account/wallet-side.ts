import { sentenceOf } from './connecting.ts'
import { AlteredDocument } from './document-check.ts'
import { openLinked } from './linked-account.ts'
import { brokerOf, consent, ownSigner, secretSigner, takeSecret } from './owner.ts'

/** What is needed once a wallet has something to sign. It is one part: several would weigh more. */
export const WALLET_SIDE = {
  ...{ sentenceOf, AlteredDocument, openLinked },
  ...{ brokerOf, consent, ownSigner, secretSigner, takeSecret },
} as const
