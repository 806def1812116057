import { parseDecimal } from '../../core/decimals.ts'
import { isHash } from '../../core/hex.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../spec/durations.ts'
import { FAULT_LIMITS, FAULTS, type FaultKind } from '../../spec/venue/faults.ts'
import { WORD_LIMITS, type WordKind } from '../../spec/venue/words.ts'
import type { MarketStatus } from '../engine/market-spec.ts'
import { USDC } from '../engine/money/balances.ts'
import { BUY, SELL, type Side } from '../engine/state.ts'
import { COLLATERALS } from '../market/chains.ts'
import { MARKETS } from '../market/instruments.ts'

/** What each kind of parameter is once it is read. */
export type WordValues = {
  /** Lower case. */
  account: string
  announcementType: string
  count: number
  /** Milliseconds; below zero only where a clock is behind. */
  delay: number
  /** Milliseconds. */
  duration: number
  fault: FaultKind
  leverage: number
  /** A share above -1. */
  move: number
  name: string
  path: string
  probability: number
  rate: number
  sigma: number
  side: Side
  size: number
  status: MarketStatus
  /** Every market that is meant. */
  symbols: readonly string[]
  text: string
  /** One that is collateral beside USDC. */
  token: string
  /** Of such a token, in hundred-millionths. */
  tokens: bigint
  url: string
  /** Micro-USDC. */
  usdc: bigint
}

type Kind<Value> = {
  readonly expects: string
  /** Undefined when the text is not of this kind. */
  readonly parse: (text: string) => Value | undefined
}

/** How often a path may say that anything stands there: what matches it is looked for in every call. */
const STARS_MAX = 4
const USDC_DECIMALS = 6
const TOKEN_DECIMALS = 8
/** The most of anything that is credited at once, whole. */
const AMOUNT_MAX = 10n ** 9n
const OTHER_TOKENS = COLLATERALS.map(({ token }) => token).filter((token) => token !== USDC)
const DECIMAL = /^-?\d{1,16}(?:\.\d{1,16})?$/

/** How the text of each kind is read. */
export const WORD_KINDS: { readonly [K in WordKind]: Kind<WordValues[K]> } = {
  account: {
    expects: '0x and 64 hex characters',
    parse: (text) => (isHash(text) ? text.toLowerCase() : undefined),
  },
  announcementType: {
    expects: 'capital letters and _, at most 32',
    parse: (text) => (/^[A-Z_]{1,32}$/.test(text) ? text : undefined),
  },
  count: { expects: 'a whole number above 0', parse: within(1, 1_000_000_000, /^\d+$/) },
  delay: {
    expects: 'whole milliseconds, such as 250',
    parse: within(-FAULT_LIMITS.skewMaxMs, FAULT_LIMITS.skewMaxMs, /^-?\d+$/),
  },
  duration: {
    expects: 'a duration such as 500ms, 90s, 15m, 8h or 3d',
    parse: (text) => durationOf(text) || undefined,
  },
  fault: {
    expects: `one of ${Object.keys(FAULTS).join(', ')}`,
    parse: (text) => (isFault(text) ? text : undefined),
  },
  leverage: { expects: 'a whole number from 1 to 100', parse: within(1, 100, /^\d+$/) },
  move: {
    expects: `a share from ${WORD_LIMITS.moveMin} to ${WORD_LIMITS.moveMax}, such as -0.2 or -20%`,
    parse: shareWithin(WORD_LIMITS.moveMin, WORD_LIMITS.moveMax),
  },
  name: {
    expects: 'letters, digits, - and _, at most 32',
    parse: (text) => (/^[\w-]{1,32}$/.test(text) ? text : undefined),
  },
  path: {
    expects: 'a path or a live topic, with at most four * for any part of it',
    parse: (text) =>
      /^[\w/*@.{}:-]{1,256}$/.test(text) && text.split('*').length <= STARS_MAX + 1
        ? text
        : undefined,
  },
  probability: { expects: 'a number from 0 to 1', parse: shareWithin(0, 1) },
  rate: {
    expects: `a number from 0 to ${WORD_LIMITS.rateMax}`,
    parse: within(0, WORD_LIMITS.rateMax),
  },
  sigma: {
    expects: `a number from 0 to ${FAULT_LIMITS.sigmaMax}`,
    parse: within(0, FAULT_LIMITS.sigmaMax),
  },
  side: { expects: 'BUY or SELL', parse: (text) => SIDES.get(text) },
  size: {
    expects: 'a share above 0 to 1',
    parse: (text) => shareWithin(0, 1)(text) || undefined,
  },
  status: {
    expects: 'one of ACTIVE, POST_ONLY, REDUCE_ONLY, PENDING, DELISTING, DELISTED',
    parse: (text) => STATUSES.find((status) => status === text),
  },
  symbols: { expects: 'a market such as PERP_ETH_USDC, or all', parse: symbolsOf },
  text: {
    expects: `one line of at most ${WORD_LIMITS.valueMaxChars} characters`,
    parse: (text) => (/^[^\p{Cc}]+$/u.test(text) ? text : undefined),
  },
  token: {
    expects: `one of ${OTHER_TOKENS.join(', ')}`,
    parse: (text) => OTHER_TOKENS.find((token) => token === text),
  },
  tokens: {
    expects: 'an amount above 0 with at most eight decimals',
    parse: amountWithin(TOKEN_DECIMALS),
  },
  url: {
    expects: 'an http or https URL',
    parse: (text) => (/^https?:\/\/\S+$/.test(text) && URL.canParse(text) ? text : undefined),
  },
  usdc: {
    expects: 'an amount above 0 with at most six decimals',
    parse: amountWithin(USDC_DECIMALS),
  },
}

const SIDES: ReadonlyMap<string, Side> = new Map([
  ['BUY', BUY],
  ['SELL', SELL],
])
const STATUSES: readonly MarketStatus[] = [
  'ACTIVE',
  'POST_ONLY',
  'REDUCE_ONLY',
  'PENDING',
  'DELISTING',
  'DELISTED',
]
const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
}

/** A duration in milliseconds: a number and its unit, such as `90s`; undefined for anything else. */
export function durationOf(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? []
  const ms = Number(digits) * (UNITS[unit] ?? 0)
  return digits !== '' && ms <= WORD_LIMITS.durationMaxMs ? ms : undefined
}

function within(min: number, max: number, shape = DECIMAL) {
  return (text: string): number | undefined => {
    const value = shape.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? value : undefined
  }
}

/** A share as a number or in per cent. */
function shareWithin(min: number, max: number) {
  return (text: string): number | undefined => {
    const isPercent = text.endsWith('%')
    const number = isPercent ? text.slice(0, -1) : text
    if (!DECIMAL.test(number)) return undefined
    const value = isPercent ? Number(number) / 100 : Number(number)
    return value >= min && value <= max ? value : undefined
  }
}

function symbolsOf(text: string): readonly string[] | undefined {
  if (text === 'all') return [...MARKETS.keys()]
  return MARKETS.has(text) ? [text] : undefined
}

function amountWithin(decimals: number) {
  return (text: string): bigint | undefined => {
    const amount = /^[\d.]{1,24}$/.test(text) ? parseDecimal(text, decimals) : null
    const max = AMOUNT_MAX * 10n ** BigInt(decimals)
    return amount !== null && amount > 0n && amount <= max ? amount : undefined
  }
}

function isFault(text: string): text is FaultKind {
  return Object.hasOwn(FAULTS, text)
}
