import { largestValueBelow } from '../core/bisection.ts'
import { larger, mulDiv, toNumber, usdcNumber } from '../core/decimals.ts'
import type { Limits } from '../core/mandate.ts'
import { dailyRemainderMicros, exceedsDay, type ReservedUse } from '../core/spending.ts'
import {
  type AccountFigures,
  type AddedOrder,
  addedExposure,
  enlargedSides,
  leveragedMicros,
  marketExposure,
  marketSides,
  totalMicros,
  unseenExposures,
} from './account-exposure.ts'

/** An order of a write: `micros` is its worst-case value, `dayMicros` the part that counts for the day and positions. */
export type PlannedOrder = AddedOrder & { readonly dayMicros: bigint }

/**
 * Stands for an unknown worst-case value if no limit depends on values. It must be above zero, because the loss limit
 * applies to every order that opens.
 */
export const UNVALUED_MICROS = 1n

/** A limit that a write would exceed, in the units of answers: USDC and Unix milliseconds. */
export type Excess = {
  readonly name: BoundName
  readonly reason: (typeof REASONS)[BoundName]
  readonly limit: number | readonly string[] | boolean
  readonly requested?: number | string
  readonly left?: number
  readonly renewsAtMs?: number
}

const REASONS = {
  maxOrderUsdc: 'order_value',
  maxDailyUsdc: 'daily_value',
  maxTransferUsdc: 'daily_value',
  maxPositionUsdc: 'position',
  maxLossUsdc: 'loss',
  maxLeverage: 'leverage',
  maxOrdersPerMinute: 'rate',
  symbols: 'symbol',
  reduceOnly: 'reduce_only',
  readOnly: 'read_only',
  expiresAtMs: 'expired',
} as const satisfies Partial<Record<keyof Limits, string>>

type BoundName = keyof typeof REASONS

/** The reasons of limits that a smaller order may satisfy. */
export const VALUE_REASONS: ReadonlySet<Excess['reason']> = new Set([
  'order_value',
  'daily_value',
  'position',
  'leverage',
])

/** The excess of a limit; empty if this limit is not set. */
function exceeded(
  name: BoundName,
  { [name]: limit }: Limits,
  figures: Pick<Excess, 'requested' | 'left' | 'renewsAtMs'> = {},
): readonly Excess[] {
  if (limit === undefined) return []
  const shown = typeof limit === 'bigint' ? usdcNumber(limit) : limit
  return [{ name, reason: REASONS[name], limit: shown, ...figures }]
}

type Check = {
  readonly limits: Limits
  readonly orders: readonly PlannedOrder[]
  readonly used: ReservedUse
  /** The account's figures; null if no limit needs them. */
  readonly figures: AccountFigures | null
}

/** Whether these limits can be checked only with the worst-case value of the orders. */
export function needsValue(limits: Limits): boolean {
  const { maxOrderUsdc, maxDailyUsdc, maxPositionUsdc, maxLeverage } = limits
  return (maxOrderUsdc ?? maxDailyUsdc ?? maxPositionUsdc ?? maxLeverage) !== undefined
}

/** The limits that forbid every opening order at this wall-clock time, whatever its value. */
export function openingExcess(limits: Limits, wallMs: number): readonly Excess[] {
  const { readOnly, expiresAtMs = Infinity, reduceOnly } = limits
  return [
    ...(readOnly ? exceeded('readOnly', limits) : []),
    ...(expiresAtMs <= wallMs ? exceeded('expiresAtMs', limits, { requested: wallMs }) : []),
    ...(reduceOnly ? exceeded('reduceOnly', limits) : []),
  ]
}

/** The limits on markets that orders in the `asked` markets would break. */
export function symbolExcess(limits: Limits, asked: readonly string[]): readonly Excess[] {
  const requested = asked.find((symbol) => limits.symbols?.includes(symbol) === false)
  return requested === undefined ? [] : exceeded('symbols', limits, { requested })
}

/** The limit that a setting of leverage would exceed. `requested` is null if the write sets no leverage. */
export function settingExcess(limits: Limits, requested: number | null): readonly Excess[] {
  const { maxLeverage = Infinity } = limits
  if (requested === null || requested <= maxLeverage) return []
  return exceeded('maxLeverage', limits, { requested })
}

/** Every limit of value, daily value, order rate, loss, position and leverage that opening orders would exceed. */
export function valueExcess(check: Check): readonly Excess[] {
  return [
    ...orderExcess(check),
    ...dailyExcess(check),
    ...rateExcess(check),
    ...figureExcess(check),
  ]
}

/**
 * For an order that exceeds a limit: the largest value, in micro-USDC, that all limits would allow. A smaller order
 * reduces `micros` and `dayMicros` by the same amount.
 */
export function roomFor(planned: PlannedOrder, check: Omit<Check, 'orders'>): bigint {
  const { micros, dayMicros } = planned
  const counted = micros - dayMicros
  return largestValueBelow(micros, (value) => {
    const order = { ...planned, micros: value, dayMicros: larger(value - counted, 0n) }
    return valueExcess({ ...check, orders: [order] }).length === 0
  })
}

function orderExcess({ limits, orders }: Check): readonly Excess[] {
  return usdcExcess('maxOrderUsdc', limits, orders.map(({ micros }) => micros).reduce(larger, 0n))
}

function usdcExcess(
  name: 'maxOrderUsdc' | 'maxPositionUsdc',
  limits: Limits,
  micros: bigint,
): readonly Excess[] {
  const { [name]: max } = limits
  if (max === undefined || micros <= max) return []
  return exceeded(name, limits, { requested: usdcNumber(micros) })
}

function dailyExcess({ limits, orders, used }: Check): readonly Excess[] {
  const added = orders.reduce((sum, { dayMicros }) => sum + dayMicros, 0n)
  return added === 0n ? [] : dayExcess('maxDailyUsdc', limits, added, used)
}

/** The limits that a transfer would exceed. `used` includes the other transfers of the day. */
export function transferExcess(
  limits: Limits,
  micros: bigint,
  used: ReservedUse,
): readonly Excess[] {
  return dayExcess('maxTransferUsdc', limits, micros, used)
}

function dayExcess(
  name: 'maxDailyUsdc' | 'maxTransferUsdc',
  limits: Limits,
  added: bigint,
  used: ReservedUse,
): readonly Excess[] {
  const { [name]: max } = limits
  if (max === undefined || !exceedsDay(used, added, max)) return []
  const { dayMicros, dayRenewsAtMs } = used
  return exceeded(name, limits, {
    ...(dayMicros !== null && { requested: usdcNumber(dayMicros + added) }),
    left: usdcNumber(dailyRemainderMicros(used, max)),
    ...(dayRenewsAtMs !== null && { renewsAtMs: dayRenewsAtMs }),
  })
}

function rateExcess({ limits, orders, used }: Check): readonly Excess[] {
  const { maxOrdersPerMinute: max = Infinity } = limits
  const { minuteOrders, minuteRenewsAtMs } = used
  const requested = minuteOrders + orders.length
  if (orders.length === 0 || requested <= max) return []
  return exceeded('maxOrdersPerMinute', limits, {
    requested,
    left: Math.max(0, max - minuteOrders),
    ...(minuteRenewsAtMs !== null && { renewsAtMs: minuteRenewsAtMs }),
  })
}

function figureExcess({ limits, orders, used, figures }: Check): readonly Excess[] {
  if (!figures || orders.every(({ dayMicros }) => dayMicros === 0n)) return []
  const held = [...figures.exposures, ...unseenExposures(used)]
  const before = marketSides(held)
  const after = marketSides([...held, ...orders.map(addedExposure)])
  const grown = enlargedSides(before, after)
  return [
    ...lossExcess(limits, lostMicros(figures)),
    ...usdcExcess('maxPositionUsdc', limits, grown.values().reduce(larger, 0n)),
    ...leverageExcess(limits, leveragedMicros(before, after, grown), figures.valueMicros),
  ]
}

/** The loss of 24 hours, as far as it is known, in micro-USDC. */
function lostMicros({ dayResultMicros: result }: AccountFigures): bigint {
  return larger(0n, -result)
}

function lossExcess(limits: Limits, lost: bigint): readonly Excess[] {
  const { maxLossUsdc: max } = limits
  if (max === undefined || lost === 0n || lost < max) return []
  return exceeded('maxLossUsdc', limits, { requested: usdcNumber(lost) })
}

function leverageExcess(limits: Limits, total: bigint, value: bigint): readonly Excess[] {
  const { maxLeverage: max } = limits
  if (max === undefined || total <= BigInt(max) * value) return []
  const requested = value > 0n ? { requested: leverageRatio(total, value) } : {}
  return exceeded('maxLeverage', limits, requested)
}

const RATIO_SCALE = 2

/** `one` divided by `other`, to two places and rounded up. */
function leverageRatio(one: bigint, other: bigint): number {
  return toNumber(mulDiv(one, 100n, other, 'ceil'), RATIO_SCALE)
}

/** The values that an account's limits on position, loss and leverage are compared with. */
export type FigureUse = ReturnType<typeof figureUse>

/** The largest position, the loss and the leverage of an account, by its figures and its recent writes. */
export function figureUse(figures: AccountFigures, used: ReservedUse) {
  const { valueMicros } = figures
  const sides = marketSides([...figures.exposures, ...unseenExposures(used)])
  const total = totalMicros(sides)
  const ratio = valueMicros > 0n ? leverageRatio(total, valueMicros) : null
  return {
    /** The largest exposure in a market, with writes that no figure shows yet. */
    positionMicros: sides.values().map(marketExposure).reduce(larger, 0n),
    lossMicros: lostMicros(figures),
    /** The leverage to two places, rounded up; null for an account with positions but without value. */
    leverage: total === 0n ? 0 : ratio,
  }
}
