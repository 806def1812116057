import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts'
import {
  COMMAND_LIMITS,
  type CommandName,
  type CommandParameter,
  type CommandValueKind,
  VENUE_COMMANDS,
} from '../../contract/venue/commands.ts'
import { FAULT_LIMITS, FAULTS, type FaultKind } from '../../contract/venue/faults.ts'
import { parseDecimal } from '../../core/decimals.ts'
import { invalidParameter } from '../../core/failure.ts'
import { isHash } from '../../core/hex.ts'
import type { TextKind } from '../../core/text-kind.ts'
import { USDC } from '../ledger/balances.ts'
import { COLLATERALS } from '../listing/chains.ts'
import { MARKETS } from '../listing/instruments.ts'
import type { MarketStatus } from '../state/market-spec.ts'
import { BUY, SELL, type SideSign } from '../state/state.ts'

/** Maximum number of wildcards in a path. The limit bounds the work of matching each call. */
const STARS_MAX = 4
const USDC_DECIMALS = 6
const TOKEN_DECIMALS = 8
/** Maximum credit of a token, in whole tokens. */
const AMOUNT_MAX = 10n ** 9n
const OTHER_TOKENS = COLLATERALS.map(({ token }) => token).filter((token) => token !== USDC)
const DECIMAL = /^-?\d{1,16}(?:\.\d{1,16})?$/
const SIDES: ReadonlyMap<string, SideSign> = new Map([
  ['BUY', BUY],
  ['SELL', SELL],
])
const STATUSES = ['ACTIVE', 'POST_ONLY', 'REDUCE_ONLY', 'PENDING', 'DELISTING', 'DELISTED'] as const
const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
}

/** The parser for each kind of value. Durations are ms; amounts are micro-USDC, or 10^-8 of another token. */
const KINDS = {
  account: {
    expects: '0x and 64 hex characters',
    parse: (text) => (isHash(text) ? text.toLowerCase() : undefined),
  },
  announcementType: matching('capital letters and _, at most 32', /^[A-Z_]{1,32}$/),
  count: { expects: 'a whole number above 0', parse: within(1, 1_000_000_000, /^\d+$/) },
  delay: {
    expects: 'whole milliseconds, such as 250',
    parse: within(-FAULT_LIMITS.skewMaxMs, FAULT_LIMITS.skewMaxMs, /^-?\d+$/),
  },
  duration: {
    expects: 'a duration such as 500ms, 90s, 15m, 8h or 3d',
    parse: (text) => parseDuration(text) || undefined,
  },
  fault: {
    expects: `one of ${Object.keys(FAULTS).join(', ')}`,
    parse: (text) => (isFault(text) ? text : undefined),
  },
  leverage: { expects: 'a whole number from 1 to 100', parse: within(1, 100, /^\d+$/) },
  move: {
    expects: `a share from ${COMMAND_LIMITS.moveMin} to ${COMMAND_LIMITS.moveMax}, such as -0.2 or -20%`,
    parse: shareWithin(COMMAND_LIMITS.moveMin, COMMAND_LIMITS.moveMax),
  },
  name: matching('letters, digits, - and _, at most 32', /^[\w-]{1,32}$/),
  path: {
    expects: 'a path or a live topic, with at most four * for any part of it',
    parse: (text) =>
      /^[\w/*@.{}:-]{1,256}$/.test(text) && text.split('*').length <= STARS_MAX + 1
        ? text
        : undefined,
  },
  probability: { expects: 'a number from 0 to 1', parse: shareWithin(0, 1) },
  rate: {
    expects: `a number from 0 to ${COMMAND_LIMITS.rateMax}`,
    parse: within(0, COMMAND_LIMITS.rateMax),
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
    expects: `one of ${STATUSES.join(', ')}`,
    parse: (text): MarketStatus | undefined => STATUSES.find((status) => status === text),
  },
  symbols: { expects: 'a market such as PERP_ETH_USDC, or all', parse: parseSymbols },
  text: matching(`one line of at most ${COMMAND_LIMITS.valueMaxChars} characters`, /^[^\p{Cc}]+$/u),
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
} as const satisfies Readonly<Record<CommandValueKind, TextKind<unknown>>>

type ValueOf<Parameter> = Parameter extends { readonly kind: infer K extends CommandValueKind }
  ? Parameter extends { readonly optional: true }
    ? ReturnType<(typeof KINDS)[K]['parse']> | undefined
    : NonNullable<ReturnType<(typeof KINDS)[K]['parse']>>
  : never

/** The parsed values of a command, by parameter name. */
export type CommandValues<Name extends CommandName> = {
  readonly [P in keyof (typeof VENUE_COMMANDS)[Name]['parameters']]: ValueOf<
    (typeof VENUE_COMMANDS)[Name]['parameters'][P]
  >
}

/** The texts of a command's parameters, by parameter name. */
export type CommandTexts = Readonly<Record<string, string>>

/**
 * Parses the parameters of a command. Throws Failure invalid_request with the name and the expected value of the first
 * parameter that is unknown, missing or malformed.
 */
export function readValues<Name extends CommandName>(
  name: Name,
  texts: CommandTexts,
): CommandValues<Name> {
  const parameters: Readonly<Record<string, CommandParameter>> = VENUE_COMMANDS[name].parameters
  const names = Object.keys(parameters)
  for (const given of Object.keys(texts))
    if (!Object.hasOwn(parameters, given))
      throw invalidParameter(printable(given), 'unknown_argument', {
        expected: names.length === 0 ? 'no parameters' : `one of ${names.join(', ')}`,
      })
  const values = Object.entries(parameters).map(([parameter, row]) => [
    parameter,
    valueIn(parameter, row, texts[parameter]),
  ])
  // The type of each value derives from the parser that read the value.
  return Object.fromEntries(values) as CommandValues<Name>
}

function valueIn(name: string, { kind, optional }: CommandParameter, text: string | undefined) {
  if (text === undefined && optional) return undefined
  const { expects, parse } = KINDS[kind]
  const isLong = (text ?? '').length > COMMAND_LIMITS.valueMaxChars
  const value = text === undefined || isLong ? undefined : parse(text)
  if (value === undefined)
    throw invalidParameter(name, text === undefined ? 'missing' : 'malformed', {
      expected: expects,
    })
  return value
}

/** An unknown parameter's name, shortened so that it can be printed. */
function printable(text: string): string {
  return /^[\w-]{1,32}$/.test(text) ? text : 'body'
}

/** A duration in ms from a number with a unit, such as `90s`; undefined for other text. */
export function parseDuration(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? []
  const ms = Number(digits) * (UNITS[unit] ?? 0)
  return digits !== '' && ms <= COMMAND_LIMITS.durationMaxMs ? ms : undefined
}

function matching(expects: string, pattern: RegExp): TextKind<string> {
  return { expects, parse: (text) => (pattern.test(text) ? text : undefined) }
}

function within(min: number, max: number, shape = DECIMAL) {
  return (text: string): number | undefined => {
    const value = shape.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? value : undefined
  }
}

/** A parser for a share between two bounds, written as a number or in per cent. */
function shareWithin(min: number, max: number) {
  return (text: string): number | undefined => {
    const isPercent = text.endsWith('%')
    const number = isPercent ? text.slice(0, -1) : text
    if (!DECIMAL.test(number)) return undefined
    const value = isPercent ? Number(number) / 100 : Number(number)
    return value >= min && value <= max ? value : undefined
  }
}

function parseSymbols(text: string): readonly string[] | undefined {
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
