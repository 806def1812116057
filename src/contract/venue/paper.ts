import { OPERATIONS } from '../operations.ts'

/** The embedded venue's refusal of an order in a market whose live book is unknown; nothing was done. */
export const AWAY = 'The live market is away.'

/** The books of the live markets that are practised on. */
export type LiveBooks = {
  readonly markets: number
  /** Of how many markets the books are known. */
  readonly known: number
  /** When live marks came last; null before the first. */
  readonly marksAtMs: number | null
  /** Since when not every book is known, so that a market stands still; null while all are. */
  readonly awaySinceMs: number | null
  /** The markets whose books were not known since the start: their marks are of before it. */
  readonly unopened: readonly string[]
}

/** The live venue's query endpoint, a read although it is a POST. */
export const PUBLIC_QUERY = '/v1/public/query'

/** Whose operations are about live markets; accounts, money and programs are practice. */
const MARKET_GROUPS: ReadonlySet<string> = new Set([
  'markets',
  'funding',
  'liquidations',
  'charts',
  'platform',
])

/** Tokens, chains and vaults belong to practice money: nobody may deposit to the live venue by mistake. */
const MONEY_PATHS: ReadonlySet<string> = new Set([
  OPERATIONS['platform.tokens'].path,
  OPERATIONS['platform.chains'].path,
  OPERATIONS['platform.vaultBalance'].path,
])

/** The paths that are read from the live venue when practising on it, {symbol} for a market. */
const PATTERNS = Object.values(OPERATIONS)
  .filter(({ group, host, answers, path }) => {
    const isOfMarkets = MARKET_GROUPS.has(group) && !MONEY_PATHS.has(path)
    return isOfMarkets && host === 'main' && answers === undefined
  })
  .map(({ path }) => new RegExp(`^${path.replace('{symbol}', '[A-Za-z0-9_]{1,64}')}$`))

/** Whether a GET of this path, with its query, is read from the live venue. */
export function isPaperRead(path: string): boolean {
  const [pathname = ''] = path.split('?')
  return PATTERNS.some((pattern) => pattern.test(pathname))
}
