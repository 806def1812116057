import { OPERATIONS } from '../operations.ts'

/** The embedded venue's refusal of an order while the market's live book is unknown. The order had no effect. */
export const BOOK_UNKNOWN_REFUSAL = 'The live market is away.'

/** State of the live books behind practice trading. */
export type LiveBooks = {
  readonly markets: number
  /** Number of markets with a known book. */
  readonly known: number
  /** Time of the last live mark prices; null before the first. */
  readonly marksAtMs: number | null
  /** Time since which at least one book is unknown, so that its market is halted; null while all are known. */
  readonly awaySinceMs: number | null
  /** Markets whose books have been unknown since the start, so that their mark prices are older than the start. */
  readonly unopened: readonly string[]
}

/** The live venue's query endpoint: a POST that only reads. */
export const PUBLIC_QUERY = '/v1/public/query'

/** Groups whose operations read the live venue. Operations on accounts, money and programs use the practice venue. */
const MARKET_GROUPS: ReadonlySet<string> = new Set([
  'markets',
  'funding',
  'liquidations',
  'charts',
  'platform',
])

/**
 * Paths of tokens, chains and vaults, which are always read from the practice venue: answers of the live venue would
 * invite real deposits by mistake.
 */
const MONEY_PATHS: ReadonlySet<string> = new Set([
  OPERATIONS['platform.tokens'].path,
  OPERATIONS['platform.chains'].path,
  OPERATIONS['platform.vaultBalance'].path,
])

/** Patterns of the paths that practice trading reads from the live venue. */
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
