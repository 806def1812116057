import type { ApprovalState } from '../../contract/approval.ts'
import type { WalletRefusal } from '../common/wallets.ts'

/** The texts of the page on which owners approve. */
export const APPROVAL_TEXTS = {
  title: 'A program wants to send this for your account',
  loading: 'Loading…',
  offline: 'The service does not answer. Nothing was decided; the page goes on asking.',
  unknown: 'There is nothing to decide here. The link is wrong, or it is more than two hours old.',
  altered:
    'The service gave another message than what is shown here ({field}). Nothing was signed.',
  cost: 'Value',
  worst: 'At worst',
  excess: ', {percent} more than its value now',
  worstHow:
    'A purchase with a limit counts at its limit. For other orders: the mark price first moves by the market’s whole price range. Then the order fills as far from it as the venue allows.',
  notKnown: 'not known: it may cost any amount',
  account: 'Account',
  key: 'Trading key',
  program: 'Program',
  callsItself: 'calls itself “{name}”, which nothing proves',
  unsaid: 'does not say its name',
  effects: 'What it changes',
  effectsWhy:
    'From reads of the account at most ten seconds before this was asked for, if all of it fills at the mark price. Other orders may have changed the account since.',
  ends: 'Time to decide',
  exact: 'The exact request',
  digest: 'SHA-256 of the body',
  choose:
    'Only the wallet that owns this account can approve. It signs what stands above and pays nothing.',
  approveWith: 'Approve with {name}',
  unnamed: 'the wallet of this browser',
  refuse: 'Refuse',
  working: 'Answer in the wallet…',
  noWallet:
    'No wallet was found here. Open this page in the browser in which your wallet is; on a phone, in the browser of the wallet itself.',
  practice: 'Approve with the file of a practice wallet',
  practiceWhy:
    'No real money is here. A program that can read your files can read such a wallet too, and could approve by itself.',
  noSecret: 'This file holds no wallet: 64 hexadecimal digits are expected.',
  states: {
    waiting: 'Nothing is sent unless you approve it. Opening this page decides nothing.',
    approved:
      'You have approved it. It may be sent once, exactly as it stands here, until {until}.',
    refused: 'It was refused and will not be sent. You can close this page.',
    used: 'You approved it, and it was sent. You can close this page.',
    expired: 'The time is over. It was not sent, and its approval has ended.',
  } satisfies Readonly<Record<ApprovalState, string>>,
  refusals: {
    rejected: 'You declined in the wallet. Nothing was decided.',
    pending: 'The wallet still shows an earlier question. Answer it there, then try again.',
    no_account: 'The wallet gave no account. Unlock it, then try again.',
    failed: 'The wallet could not sign this. Try again, or use another wallet.',
  } as { readonly failed: string } & Readonly<Partial<Record<WalletRefusal['reason'], string>>>,
  troubles: {
    chain: 'The wallet has changed its chain meanwhile. Try again.',
    not_owner:
      'This wallet does not own the account. Choose the wallet with which the account was opened; a sub-account cannot be approved for.',
    signer:
      'The wallet signed with another account than the one it named. Choose that account, then try again.',
    blocked: 'The operator of this service does not take this wallet.',
    other: 'The service did not take it ({code}). Nothing was approved.',
  },
} as const
