import { walletFailureMessage } from './connecting.ts'
import { AlteredDocument } from './document-check.ts'
import { openLinked } from './linked-account.ts'
import { consent, ownSigner, readBrokerId, secretSigner, takeSecret } from './owner.ts'

/** The code for signing with a wallet, loaded as one bundle, because several bundles would be larger. */
export const WALLET_SIDE = {
  ...{ sentenceOf: walletFailureMessage, AlteredDocument, openLinked },
  ...{ brokerOf: readBrokerId, consent, ownSigner, secretSigner, takeSecret },
} as const
