import { DEMO_SELECTOR, demoTransactionHash } from '../../crypto/demo-swap.ts'
import { sentenceOf } from './account/connecting.ts'
import { AlteredDocument } from './account/document-check.ts'
import { openLinked } from './account/linked-account.ts'
import { brokerOf, consent, ownSigner, secretSigner, takeSecret } from './account/owner.ts'
import { allow, balanceOf, deposit, send } from './money/transactions.ts'
import { ConnectDialog } from './views/connect/dialog.tsx'

/** What is needed once a wallet has something to sign. It is one part: several would weigh more. */
export const WALLET_WORK = {
  ...{ DEMO_SELECTOR, demoTransactionHash, sentenceOf, AlteredDocument, openLinked, brokerOf },
  ...{ consent, ownSigner, secretSigner, takeSecret, allow, balanceOf, deposit, send },
  ConnectDialog,
} as const
