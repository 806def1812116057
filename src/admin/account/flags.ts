import type { CommandFlag } from '../command.ts'

/** The flags of the account commands. */
export const ACCOUNT_FLAGS = {
  url: {
    flag: '--url',
    value: { shown: 'URL', kind: 'apiUrl' },
    meaning: 'Base address of the server; by default the one these settings start.',
  },
  opsUrl: {
    flag: '--ops-url',
    value: { shown: 'URL', kind: 'apiUrl' },
    meaning: "Base address of that server's operator listener.",
  },
  out: {
    flag: '--out',
    value: { shown: 'FILE', kind: 'path' },
    meaning: 'New file, mode 0600, for the trading key; nothing secret is printed then.',
  },
  deposit: {
    flag: '--deposit',
    value: { shown: 'USDC', kind: 'usdc' },
    meaning: 'Practice USDC on top of what every new account gets.',
  },
  usdc: {
    flag: '--usdc',
    value: { shown: 'USDC', kind: 'usdc' },
    meaning: 'Practice USDC to credit.',
  },
  token: {
    flag: '--token',
    value: { shown: 'TOKEN' },
    meaning: 'Another token to credit, USDT or ETH, with --amount.',
  },
  amount: {
    flag: '--amount',
    value: { shown: 'AMOUNT' },
    meaning: 'How much of that token, with at most eight decimals.',
  },
  account: {
    flag: '--account',
    value: { shown: 'ID', kind: 'accountId' },
    meaning: 'The account: 0x and 64 hex characters.',
  },
  wallet: {
    flag: '--wallet',
    value: { shown: 'ADDRESS', kind: 'address' },
    meaning: 'Your wallet, which signs: for a live venue.',
  },
  signature: {
    flag: '--signature',
    value: { shown: 'HEX', kind: 'signature' },
    meaning: 'What the wallet answered; without it the message is shown anew.',
  },
} as const satisfies Record<string, CommandFlag>
