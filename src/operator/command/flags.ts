import { AGENT_LIMITS } from '../../contract/agent-limits.ts'
import type { CommandFlag } from './command.ts'

/** The flag that also asks whether the venue answers. */
export const READY_FLAG: CommandFlag = {
  flag: '--ready',
  meaning: 'Also ask the venue, as /readyz does.',
}

/** The flag that runs an action on the records, without a running server. */
export const OFFLINE_FLAG: CommandFlag = {
  flag: '--offline',
  meaning: 'Work on the data directory itself; no server may run on it.',
}

/** The flag that names a journal file to read instead of the running server's journal. */
export const JOURNAL_FLAG: CommandFlag = {
  flag: '--file',
  value: { shown: 'FILE', kind: 'path' },
  meaning: 'Read a file instead: agent-orders.db of an agent, or a backup.',
}

const VALUE_PLACEHOLDERS = {
  usdcOrOff: 'N',
  countOrOff: 'N',
  symbolsOrOff: 'SYMBOLS',
  instantOrOff: 'TIME',
}

// biome-ignore format: one flag a row
export const ACCOUNT_FLAGS = {
  url: { flag: '--url', value: { shown: 'URL', kind: 'apiUrl' }, meaning: 'Base address of the server; by default the one these settings start.' },
  opsUrl: { flag: '--ops-url', value: { shown: 'URL', kind: 'apiUrl' }, meaning: "Base address of that server's operator listener." },
  out: { flag: '--out', value: { shown: 'FILE', kind: 'path' }, meaning: 'New file, mode 0600, for the trading key; nothing secret is printed then.' },
  keychain: { flag: '--keychain', meaning: "Keep the trading key in this system's keychain; nothing secret is printed then." },
  agent: { flag: '--agent', value: { shown: 'NAME' }, meaning: "Configure this agent's host with it, such as cursor; an unknown NAME lists all." },
  replace: { flag: '--replace', meaning: 'With --agent: replace the entry that the host has already.' },
  dryRun: { flag: '--dry-run', meaning: 'With --agent: show what would be written; open and write nothing.' },
  deposit: { flag: '--deposit', value: { shown: 'USDC', kind: 'usdc' }, meaning: 'Practice USDC on top of what every new account gets.' },
  usdc: { flag: '--usdc', value: { shown: 'USDC', kind: 'usdc' }, meaning: 'Practice USDC to credit.' },
  token: { flag: '--token', value: { shown: 'TOKEN' }, meaning: 'Another token to credit, USDT or ETH, with --amount.' },
  amount: { flag: '--amount', value: { shown: 'AMOUNT' }, meaning: 'How much of that token, with at most eight decimals.' },
  account: { flag: '--account', value: { shown: 'ID', kind: 'accountId' }, meaning: 'The account: 0x and 64 hex characters.' },
  wallet: { flag: '--wallet', value: { shown: 'ADDRESS', kind: 'address' }, meaning: 'Your wallet, which signs: for a live venue.' },
  signature: { flag: '--signature', value: { shown: 'HEX', kind: 'signature' }, meaning: 'The signature of the wallet; without it the message is shown again.' },
} as const satisfies Record<string, CommandFlag>

/** One flag per limit of an agent, with the variable that it sets: `--max-order-usdc` sets SERVICE_MAX_ORDER_USDC. */
export const LIMIT_FLAGS: readonly (CommandFlag & { readonly variable: string })[] = Object.entries(
  AGENT_LIMITS,
).map(([name, { kind, meaning }]) => ({
  flag: `--${name.toLowerCase().replaceAll('_', '-')}`,
  variable: `SERVICE_${name}`,
  ...(kind !== 'boolean' && { value: { shown: VALUE_PLACEHOLDERS[kind], kind } }),
  meaning: meaning.replaceAll('`', ''),
}))

// biome-ignore format: one flag a row
export const LOGS_FLAGS = {
  account: { flag: '--account', value: { shown: 'ID', kind: 'accountOrTag' }, meaning: 'The account: 0x and 64 hex characters, or its tag of 16 in the log.' },
  at: { flag: '--at', value: { shown: 'TIME', kind: 'instant' }, meaning: 'When it happened, such as 2026-01-01T12:00:00Z.' },
  within: { flag: '--within', value: { shown: 'SECONDS', kind: 'wholeNumber' }, meaning: 'How far around that time to look; 60 by default.' },
} as const satisfies Record<string, CommandFlag>

// biome-ignore format: one flag a row
export const BACKUP_FLAGS = {
  first: { flag: '--first', meaning: 'Let the first backup of a data directory stand beside those of another.' },
  identity: { flag: '--identity', value: { shown: 'FILE', kind: 'path' }, meaning: 'The key that opens encrypted backups, as backups key or age-keygen wrote it.' },
} as const satisfies Record<string, CommandFlag>

// biome-ignore format: one flag a row
export const VERIFY_FLAGS = {
  signers: { flag: '--signers', value: { shown: 'FILE', kind: 'path' }, meaning: 'Release keys to take in place of those inside: lines of allowed_signers.' },
} as const satisfies Record<string, CommandFlag>

/** The flags of `rotate`. */
export const ROTATE_FLAGS = {
  finish: { flag: '--finish', meaning: 'Remove the previous key.' },
} as const satisfies Record<string, CommandFlag>

/** The two nodes on this machine that the tour uses for a voucher. */
// biome-ignore format: one flag a row
export const TOUR_FLAGS = {
  source: { flag: '--source-node', value: { shown: 'URL', kind: 'apiUrl' }, meaning: 'Local development node to deposit on; the tour then also redeems a voucher.' },
  destination: { flag: '--destination-node', value: { shown: 'URL', kind: 'apiUrl' }, meaning: 'Local development node to redeem on.' },
} as const satisfies Record<string, CommandFlag>

// biome-ignore format: one flag a row
export const VOUCHER_FLAGS = {
  rows: { flag: '--rows', value: { shown: 'COUNT', kind: 'wholeNumber' }, meaning: 'How many lines at most, 1 to 500; 50 when it is not given.' },
  deposit: { flag: '--deposit', value: { shown: 'KEY', kind: 'accountId' }, meaning: 'The deposit: 0x and 64 hex characters.' },
  complete: { flag: '--complete', meaning: 'Confirm that no voucher was lost, so that new ones are signed at once.' },
} as const satisfies Record<string, CommandFlag>

// biome-ignore format: one flag a row
export const TAPE_FLAGS = {
  url: { flag: '--url', value: { shown: 'URL', kind: 'apiUrl' }, meaning: "Address of an embedded venue's wire; by default the venue of these settings." },
  markets: { flag: '--markets', value: { shown: 'LIST', kind: 'marketsOrAll' }, meaning: 'Markets such as PERP_ETH_USDC, separated by commas; all by default.' },
  seconds: { flag: '--seconds', value: { shown: 'SECONDS', kind: 'wholeNumber' }, meaning: 'Stop after this time; by default when the command is interrupted.' },
  market: { flag: '--market', value: { shown: 'SYMBOL' }, meaning: 'Only this market; of an import, its name in the tape, such as PERP_BTC_USDC.' },
  books: { flag: '--books', value: { shown: 'TABLE', kind: 'path' }, meaning: 'Rows of incremental_book_L2: CSV, also packed by gzip, or Parquet.' },
  trades: { flag: '--trades', value: { shown: 'TABLE', kind: 'path' }, meaning: 'Rows of trades, in the same formats.' },
  from: { flag: '--from', value: { shown: 'TIME', kind: 'instant' }, meaning: 'Show records from this time on, such as 2026-01-01T12:00:00Z.' },
  rows: { flag: '--rows', value: { shown: 'COUNT', kind: 'wholeNumber' }, meaning: 'Number of records to show, at most 10000; without it no records.' },
} as const satisfies Record<string, CommandFlag>
