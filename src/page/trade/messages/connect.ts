/** The texts of the way to an account: loaded when somebody goes it. */
export const C = {
  title: 'Connect a wallet',
  intro:
    'Your wallet signs once to open the account and once to bind a trading key made in this browser. It never pays anything here.',
  choose: 'Wallets in this browser',
  unnamed: 'Browser wallet',
  noWallet: 'No wallet was found in this browser.',
  throwAway: 'Use a throw-away wallet',
  throwAwayWhy:
    'Made in this page for the simulated venue. Its secret is never stored and is gone when the page closes, unless you save it.',
  may: 'The key may',
  lives: 'For',
  days: '{days} days',
  day: '1 day',
  working: 'Working…',
  waiting: 'The server asks to wait {seconds} s. It goes on by itself.',
  review: {
    register: 'Open the account: the wallet signs this',
    'trading-key': 'Bind the trading key: the wallet signs this',
  },
  checked: 'This is what was asked for: key, chain, scope and end were checked.',
  sign: 'Sign in the wallet',
  done: 'The account is open, and this browser can trade.',
  stopped: 'Stopped: nothing more is signed or sent.',
  saveWhy: 'The wallet is gone when the page closes. Its secret opens the account again.',
  fields: {
    brokerId: 'Front end',
    chainId: 'Chain',
    timestamp: 'Signed at',
    registrationNonce: 'Nonce',
    scope: 'May',
    expiration: 'Until',
  } as Readonly<Record<string, string>>,
  keyField: 'Trading key',
  altered: 'Stopped: the document is not what this page asked for ({field}). Nothing was signed.',
  wrongChain: 'The wallet is on a chain that this venue does not take.',
  switchTo: 'Switch to {name}',
  again: 'Try again',
  refusal: {
    rejected: 'You declined in the wallet. Nothing was opened or bound.',
    pending: 'The wallet still shows an earlier question. Answer it there, then try again.',
    no_account: 'The wallet gave no account. Unlock it, then try again.',
    failed: 'The wallet could not do this. Try again, or use another wallet.',
  },
  link: {
    done: 'This browser now trades with the account {account}….',
    broken: 'The link opens no account here.',
    live: 'Links that hold a key open accounts of a simulated venue only.',
  },
  wrongSigner:
    'The wallet signed with another account than the one it named. Choose that account in the wallet, then try again.',
} as const
