import { suggest } from '../../settings/suggest.ts'
import { SYMBOL_PATTERN } from '../../spec/market/symbols.ts'
import { baseOf } from '../../wire/symbol.ts'

/** Names people use for a base asset. */
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
  /** The one market that can have been meant. */
  readonly exact?: string
  /** Markets with a similar name, the likeliest first. */
  readonly near: readonly string[]
}

/** The market meant by "eth", "ETH-PERP", "eth/usdc" or a misspelled name. */
export function nearestSymbol(word: string, symbols: readonly string[]): Nearest {
  const base = baseIn(word)
  const exact = symbols.find((symbol) => symbol === word || baseOf(symbol) === base)
  if (exact !== undefined) return { exact, near: [exact] }
  return { near: nearSymbols(base, symbols) }
}

const NEAR_MAX = 5
const WORD_MAX_CHARS = 64
const NOISE = /^PERP(?=.)|(?:PERPETUAL|PERP|FUTURES?|USDC|USDT|USD)$/

function baseIn(word: string): string {
  let base = word
    .slice(0, WORD_MAX_CHARS)
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
  for (let shorter = base.replace(NOISE, ''); shorter && shorter !== base; ) {
    base = shorter
    shorter = base.replace(NOISE, '')
  }
  return ALIASES[base] ?? base
}

function nearSymbols(base: string, symbols: readonly string[]): readonly string[] {
  if (base === '') return []
  const typo = suggest(base, symbols.map(baseOf))
  const holding = symbols.filter((symbol) => base.length > 1 && baseOf(symbol).includes(base))
  const near = [...(typo === undefined ? [] : [`PERP_${typo}_USDC`]), ...holding]
  return [...new Set(near)].slice(0, NEAR_MAX)
}

/** Whether a word already has the form of a symbol, so that the service can be asked at once. */
export function isSymbol(word: string): boolean {
  return SYMBOL_PATTERN.test(word)
}
