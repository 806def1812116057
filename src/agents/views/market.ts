import { SYMBOL_PATTERN } from '../../contract/market/symbols.ts'
import { isObject, type Row, rowsAt } from '../../core/json.ts'
import { suggest } from '../../core/settings/suggest.ts'
import { toAmount } from '../../perp/amounts.ts'
import { toMarketRules } from '../../perp/market-rules.ts'
import { baseAsset } from '../../upstream/wire/symbol.ts'
import { toolRefusal } from '../refusal.ts'
import type { ToolContext, ToolFailure } from '../tool.ts'

/** A market with its rules. An inactive market has no mark price. */
export type MarketView = Readonly<ReturnType<typeof marketView>>

type Listing = { readonly markets: readonly Row[]; readonly rules: readonly Row[] }

/**
 * The market of a write, by its exact symbol. Throws not_found for any other text. For a different spelling of a
 * symbol, the refusal suggests the exact symbol. A similar symbol is only named, because a write there would trade the
 * wrong market.
 */
export async function exactMarket(context: ToolContext, symbol: string): Promise<MarketView> {
  return marketIn(await listed(context), symbol, () => symbol, unknownToWrite)
}

/**
 * The market of an order that is only previewed or planned, by a symbol in any spelling. Throws not_found like
 * `exactMarket`.
 */
export async function orderMarket(context: ToolContext, word: string): Promise<MarketView> {
  return marketIn(await listed(context), word, exactSymbol(word), unknownToWrite)
}

/** The market that a read names in any spelling. Throws not_found with the nearest symbols. */
export async function namedMarket(context: ToolContext, word: string): Promise<MarketView> {
  return marketIn(await listed(context), word, exactSymbol(word), unknownSymbol)
}

/** The symbol that a read names in any spelling. Throws not_found with the nearest symbols. */
async function namedSymbol(context: ToolContext, word: string): Promise<string> {
  const symbols = rowsAt(await context.client.get('/api/prep/markets'), 'markets').map(ruleSymbol)
  const { exact } = nearestSymbol(word, symbols)
  if (exact === undefined) throw unknownSymbol(word, symbols)
  return exact
}

/**
 * The symbol for a filter. A well-formed symbol is returned unchanged, because past orders may be in a delisted market.
 */
export async function symbolIn<T extends string | undefined>(context: ToolContext, word: T) {
  return word === undefined || isSymbol(word) ? word : namedSymbol(context, word)
}

async function listed({ client }: ToolContext): Promise<Listing> {
  const [markets, rules] = await Promise.all([
    client.get('/api/prep/markets'),
    client.get('/api/prep/market-rules'),
  ])
  return { markets: rowsAt(markets, 'markets'), rules: rowsAt(rules, 'rules') }
}

type Symbols = readonly string[]

function exactSymbol(word: string) {
  return (symbols: Symbols) => nearestSymbol(word, symbols).exact
}

function marketIn(
  listing: Listing,
  word: string,
  meant: (symbols: Symbols) => string | undefined,
  unknown: (word: string, symbols: Symbols) => ToolFailure,
): MarketView {
  const symbols = listing.rules.map(ruleSymbol)
  const symbol = meant(symbols)
  const rule = listing.rules.find((row) => row['symbol'] === symbol)
  if (!rule) throw unknown(word, symbols)
  return marketView(rule, listing)
}

function ruleSymbol(row: Row): string {
  return typeof row['symbol'] === 'string' ? row['symbol'] : ''
}

const UNKNOWN_MARKET = { parameter: 'symbol', reason: 'unknown_market' } as const
const FIND_SYMBOL_STEP = 'Find the symbol with list_markets.'

function unknownSymbol(word: string, symbols: Symbols): ToolFailure {
  const { near } = nearestSymbol(word, symbols)
  return toolRefusal('not_found', {
    ...UNKNOWN_MARKET,
    ...(near[0] !== undefined && { suggestion: near[0] }),
    ...(near.length > 1 && { near }),
    next: near[0] === undefined ? FIND_SYMBOL_STEP : 'Call again with the symbol meant.',
  })
}

function unknownToWrite(word: string, symbols: Symbols): ToolFailure {
  const { exact, near } = nearestSymbol(word, symbols)
  if (exact !== undefined)
    return toolRefusal('not_found', { ...UNKNOWN_MARKET, suggestion: exact, next: SPELLING_STEP })
  if (near.length === 0)
    return toolRefusal('not_found', { ...UNKNOWN_MARKET, next: FIND_SYMBOL_STEP })
  return toolRefusal('not_found', { ...UNKNOWN_MARKET, near, next: ONLY_SIMILAR })
}

const SPELLING_STEP = 'Nothing was sent. The symbol of this market is spelled as in suggestion.'
const ONLY_SIMILAR =
  'Nothing was sent. There is no such market. Those in near only have similar names and are markets of other assets. Ask the user which market is meant.'

function marketView(rule: Row, { markets }: Listing) {
  const symbol = ruleSymbol(rule)
  const row = markets.find((market) => market['symbol'] === symbol) ?? null
  return {
    ...toMarketRules(rule),
    base: baseAsset(symbol),
    row,
    /** The rules under the venue's field names. */
    info: isObject(rule['info']) ? rule['info'] : {},
    mark: row ? toAmount(row['mark_price']) : null,
  }
}

/** Common names of base assets. */
const ALIASES: Readonly<Record<string, string>> = {
  BITCOIN: 'BTC',
  XBT: 'BTC',
  ETHEREUM: 'ETH',
  ETHER: 'ETH',
  SOLANA: 'SOL',
  DOGECOIN: 'DOGE',
  RIPPLE: 'XRP',
  CHAINLINK: 'LINK',
  AVALANCHE: 'AVAX',
}

type Nearest = {
  /** The only market that the word can mean. */
  readonly exact?: string
  /** Markets with a similar name, the likeliest first. */
  readonly near: readonly string[]
}

/** Finds the market for an input such as "eth", "ETH-PERP", "eth/usdc" or a misspelled name. */
export function nearestSymbol(word: string, symbols: Symbols): Nearest {
  const base = baseIn(word)
  const alias = ALIASES[base]
  const exact =
    symbols.find((symbol) => symbol === word) ??
    symbols.find((symbol) => baseAsset(symbol) === base) ??
    symbols.find((symbol) => baseAsset(symbol) === alias)
  if (exact !== undefined) return { exact, near: [exact] }
  return { near: nearSymbols(alias ?? base, symbols) }
}

const NEAR_MAX = 5
const WORD_MAX_CHARS = 64
const SYMBOL_AFFIXES = /^PERP(?=.)|(?:PERPETUAL|PERP|FUTURES?|USDC|USDT|USD)$/

function baseIn(word: string): string {
  let base = word
    .slice(0, WORD_MAX_CHARS)
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
  for (let shorter = base.replace(SYMBOL_AFFIXES, ''); shorter && shorter !== base; ) {
    base = shorter
    shorter = base.replace(SYMBOL_AFFIXES, '')
  }
  return base
}

function nearSymbols(base: string, symbols: Symbols): Symbols {
  if (base === '') return []
  const typo = suggest(base, symbols.map(baseAsset))
  const holding = symbols.filter((symbol) => base.length > 1 && baseAsset(symbol).includes(base))
  const near = [...(typo === undefined ? [] : [`PERP_${typo}_USDC`]), ...holding]
  return [...new Set(near)].slice(0, NEAR_MAX)
}

/** Whether a word has the form of a symbol. */
function isSymbol(word: string): boolean {
  return SYMBOL_PATTERN.test(word)
}

/** Reads public data of one market. A well-formed symbol is tried directly, and looked up if that market does not exist. */
export async function atSymbol(
  context: ToolContext,
  word: string,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const { client } = context
  if (!isSymbol(word)) {
    return client.get(path, { symbol: await namedSymbol(context, word), ...query })
  }
  try {
    return await client.get(path, { symbol: word, ...query })
  } catch (error) {
    if (isNotFound(error)) await namedSymbol(context, word)
    throw error
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'not_found'
}
