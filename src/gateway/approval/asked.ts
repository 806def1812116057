import type { Approval } from '../../core/approval.ts'
import { larger, mulDiv, ONE, PER_MICRO } from '../../core/decimals.ts'
import { type Limits, usdcText } from '../../core/mandate.ts'
import { parseStrict, type StrictObject } from '../../perp/strict-json.ts'
import { type MarketBound, type OpeningOrder, worstValue } from '../../perp/worst-case.ts'
import { parseWrite, type Write } from '../../perp/write-effects.ts'
import { assertFields } from '../../perp/write-fields.ts'
import type { KeptAccount } from '../mandate/figures.ts'
import { marketBounds } from '../mandate/market-bounds.ts'
import type { KeptModes } from '../mandate/modes.ts'
import type { MarketDeps } from '../market/shaped.ts'
import { type AccountModes, orderEffects, settingEffects } from './effects.ts'
import { sentencesOf } from './sentences.ts'

/** A write that may need an approval. */
export type AskingWrite = {
  /** Lower case. */
  readonly accountId: string
  /** Method and path, such as `POST /v1/order`. */
  readonly name: string
  readonly body: string
  /** Whether the caller wants an approval whatever the value. */
  readonly needsApproval: boolean
}

/** The question to an owner about a write. */
export type Asked = {
  /** The write in words, and its value as decimal text. */
  readonly shown: Pick<Approval, 'order' | 'effects' | 'costUsdc' | 'worstUsdc'>
  /** The largest value of the write if it is sent now; null while that is unknown. */
  readonly mostMicros: bigint | null
  /** The value of a write that may go without approval while the unapproved writes of a day stay within `maxMicros`. */
  readonly unapproved: { readonly micros: bigint; readonly maxMicros: bigint } | null
}

type AskingLimits = Pick<Limits, 'approveAboveUsdc' | 'approveAboveDailyUsdc' | 'approveChanges'>

type AskingDeps = MarketDeps & { readonly modes: Pick<KeptModes, 'defaultMode' | 'leverage'> }

/**
 * Composes the question to the owner of the account about a write; null for a write that needs no approval. Throws
 * Failure: invalid_request for a body that two parsers may read differently.
 */
export async function askedOf(
  deps: AskingDeps,
  write: AskingWrite & {
    readonly limits: AskingLimits
    /** The figures of the account; null where they are not known now. */
    readonly account: KeptAccount | null
  },
): Promise<Asked | null> {
  const { limits, account, accountId } = write
  const modes = modesOf(deps.modes, accountId)
  const { approveAboveUsdc, approveAboveDailyUsdc, approveChanges } = limits
  const isOfValue = approveAboveUsdc !== undefined || approveAboveDailyUsdc !== undefined
  if (!write.needsApproval && !isOfValue && !approveChanges) return null
  const body: StrictObject = write.body === '' ? new Map() : parseStrict(write.body)
  assertFields(write.name, body)
  const read = parseWrite(write.name, body)
  if (read.kind === 'reduces') return null
  if (read.kind !== 'opens')
    return askedChange(write, read, body, limits, settingEffects(read, body, account, modes))
  const isModeChanged = read.orders.some(({ symbol, mode }) => {
    return mode !== null && modes.defaultMode(symbol) !== mode
  })
  const needsApproval = write.needsApproval || (approveChanges === true && isModeChanged)
  const asking = { ...write, needsApproval }
  const { orders } = read
  const effects = (bounds: Bounds) => orderEffects(orders, bounds, account, modes)
  return askedOrders(deps, asking, { body, orders, effects }, limits)
}

/** Writes that leave money and risk unchanged. */
const HARMLESS = /^POST \/v1\/(?:settle_pnl$|notification\/|referral\/)/

function askedChange(
  { name, needsApproval }: AskingWrite,
  { kind }: Write,
  body: StrictObject,
  { approveChanges }: AskingLimits,
  effects: readonly string[],
): Asked | null {
  const isHarmless = kind === 'other' && HARMLESS.test(name)
  if (!needsApproval && (isHarmless || !approveChanges)) return null
  const order = sentencesOf(name, body, NO_BOUNDS).join('\n')
  const shown = { order, effects: linesOf(effects), costUsdc: null, worstUsdc: null }
  return { shown, mostMicros: null, unapproved: null }
}

type Bounds = ReadonlyMap<string, MarketBound>

const NO_BOUNDS: Bounds = new Map()

/** The lines as one stored text; null for an empty list. */
function linesOf(lines: readonly string[]): string | null {
  return lines.length === 0 ? null : lines.join('\n')
}

/** The kept modes of one account. */
function modesOf(modes: AskingDeps['modes'], accountId: string): AccountModes {
  return {
    defaultMode: (symbol) => modes.defaultMode(accountId, symbol),
    leverage: (symbol, mode) => modes.leverage(accountId, symbol, mode),
  }
}

type AskedOrders = {
  readonly body: StrictObject
  readonly orders: readonly OpeningOrder[]
  readonly effects: (bounds: Bounds) => readonly string[]
}

async function askedOrders(
  deps: MarketDeps,
  { name, needsApproval }: AskingWrite,
  { body, orders, effects }: AskedOrders,
  { approveAboveUsdc: above, approveAboveDailyUsdc: maxMicros }: AskingLimits,
): Promise<Asked | null> {
  if (!needsApproval && above === undefined && maxMicros === undefined) return null
  const symbols = new Set(orders.flatMap(({ symbol }) => symbol ?? []))
  const bounds = await marketBounds(deps, symbols)
  const totalOf = (value: typeof worstValue, risen: bigint) =>
    sumOf(orders.map((order) => value(order, risenBound(bounds.get(order.symbol ?? ''), risen))))
  const worst = totalOf(worstValue, 0n)
  const isWithin = !needsApproval && worst !== null && (above === undefined || worst <= above)
  if (isWithin && maxMicros === undefined) return null
  return {
    unapproved: isWithin && maxMicros !== undefined ? { micros: worst, maxMicros } : null,
    shown: {
      order: sentencesOf(name, body, bounds).join('\n'),
      effects: linesOf(effects(bounds)),
      costUsdc: textOf(totalOf(plainValue, 0n)),
      worstUsdc: textOf(totalOf(worstValue, SIGNED_RISE)),
    },
    mostMicros: totalOf(worstValue, SENT_RISE),
  }
}

/**
 * How far the mark price may rise, in halves of the market's price range. The owner signs the value after a rise of the
 * whole range. Half of it is left for the rise from the kept mark price, which is seconds old, to the execution.
 */
const SIGNED_RISE = 2n
const SENT_RISE = 1n

function risenBound(bound: MarketBound | undefined, halves: bigint): MarketBound | null {
  if (!bound) return null
  const { mark, priceRange } = bound
  return { mark: mulDiv(mark, 2n * ONE + halves * priceRange, 2n * ONE, 'ceil'), priceRange }
}

/** The sum; null when one of the values is unknown. */
function sumOf(values: readonly (bigint | null)[]): bigint | null {
  return values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0n)
}

const PER_MICRO_SQUARED = 10n ** 30n

/**
 * The cost of an order that buys at its own price; otherwise its value at the mark price, or at its own higher price.
 */
function plainValue(order: OpeningOrder, bound: MarketBound | null): bigint | null {
  const { buysUpTo, highest, quantity, amount } = order
  if (amount !== null) return mulDiv(amount, 1n, PER_MICRO, 'ceil')
  const price = buysUpTo ?? (bound && larger(highest, bound.mark))
  if (price === null || quantity === null) return null
  return mulDiv(quantity, price, PER_MICRO_SQUARED, 'ceil')
}

function textOf(micros: bigint | null): string | null {
  return micros === null ? null : usdcText(micros)
}
