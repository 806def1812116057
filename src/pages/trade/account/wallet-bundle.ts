import { walletFailureMessage } from './connecting.ts'
import { AlteredDocument } from './document-check.ts'
import { openLinked } from './linked-account.ts'
import { ownSigner, readBrokerId, secretSigner, signWithOwner, takeSecret } from './owner.ts'

/** The code for signing with a wallet, loaded as one bundle, because several bundles would be larger. */
export const WALLET_BUNDLE = {
  ...{ sentenceOf: walletFailureMessage, AlteredDocument, openLinked },
  ...{ brokerOf: readBrokerId, consent: signWithOwner, ownSigner, secretSigner, takeSecret },
} as const
