import { mostBelow } from '../core/bisection.ts'
import { larger, mulDiv, toNumber, usdcNumber } from '../core/decimals.ts'
import type { Limits } from '../core/mandate.ts'
import { exceedsDay, leftOfDay, type Used } from '../core/spending.ts'
import {
  type AccountFigures,
  type AddedOrder,
  addedExposure,
  type Exposure,
  grownSides,
  leveragedMicros,
  marketSides,
  unseenExposures,
} from './exposure.ts'

/** An order of a write: `micros` is its worst-case value, `dayMicros` the part that counts for the day and positions. */
export type PlannedOrder = AddedOrder & { readonly dayMicros: bigint }

/**
 * Placeholder value of an order with unknown worst case if no limit depends on value. It must be above zero, because
 * the loss limit applies to every order that opens.
 */
export const UNVALUED_MICROS = 1n

/** A limit that a write would exceed, in the units of answers: USDC and Unix milliseconds. */
export type Excess = {
  readonly name: keyof Limits
  readonly reason: LimitReason
  readonly limit: number | readonly string[] | boolean
  readonly requested?: number | string
  readonly left?: number
  readonly renewsAtMs?: number
}

type LimitReason =
  | 'order_value'
  | 'daily_value'
  | 'position'
  | 'loss'
  | 'leverage'
  | 'rate'
  | 'symbol'
  | 'reduce_only'
  | 'read_only'
  | 'expired'

type Check = {
  readonly limits: Limits
  readonly orders: readonly PlannedOrder[]
  readonly used: Used
  /** Null if no limit needs them. */
  readonly figures: AccountFigures | null
}

/** Whether these limits can be checked only with the worst-case value of the orders. */
export function needsValue(limits: Limits): boolean {
  const { maxOrderUsdc, maxDailyUsdc, maxPositionUsdc, maxLeverage } = limits
  return [maxOrderUsdc, maxDailyUsdc, maxPositionUsdc, maxLeverage].some(
    (limit) => limit !== undefined,
  )
}

/** The limits that forbid every opening order at this wall-clock time, whatever its value. */
export function openingExcess(limits: Limits, wallMs: number): readonly Excess[] {
  const { readOnly, expiresAtMs, reduceOnly } = limits
  return [
    ...(readOnly ? [{ name: 'readOnly', reason: 'read_only', limit: true } as const] : []),
    ...(expiresAtMs !== undefined && expiresAtMs <= wallMs
      ? [{ name: 'expiresAtMs', reason: 'expired', limit: expiresAtMs, requested: wallMs } as const]
      : []),
    ...(reduceOnly ? [{ name: 'reduceOnly', reason: 'reduce_only', limit: true } as const] : []),
  ]
}

/** The limit on markets, if one of the `asked` markets is outside the allowlist; otherwise empty. */
export function symbolExcess({ symbols }: Limits, asked: readonly string[]): readonly Excess[] {
  const other = symbols && asked.find((symbol) => !symbols.includes(symbol))
  if (!symbols || other === undefined) return []
  return [{ name: 'symbols', reason: 'symbol', limit: symbols, requested: other }]
}

/** The limit that a requested leverage would exceed. `requested` is null if the write sets no leverage. */
export function settingExcess(
  { maxLeverage: max }: Limits,
  requested: number | null,
): readonly Excess[] {
  if (max === undefined || requested === null || requested <= max) return []
  return [{ name: 'maxLeverage', reason: 'leverage', limit: max, requested }]
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
 * The largest value, in micro-USDC, of an order that exceeds a limit at which all limits would allow it. `dayMicros`
 * shrinks by the same amount as `micros`.
 */
export function roomFor(planned: PlannedOrder, check: Omit<Check, 'orders'>): bigint {
  const { micros, dayMicros } = planned
  const counted = micros - dayMicros
  return mostBelow(micros, (value) => {
    const order = { ...planned, micros: value, dayMicros: larger(value - counted, 0n) }
    return valueExcess({ ...check, orders: [order] }).length === 0
  })
}

function orderExcess({ limits: { maxOrderUsdc: max }, orders }: Check): readonly Excess[] {
  const largest = orders.map(({ micros }) => micros).reduce(larger, 0n)
  if (max === undefined || largest <= max) return []
  return [
    {
      name: 'maxOrderUsdc',
      reason: 'order_value',
      limit: usdcNumber(max),
      requested: usdcNumber(largest),
    },
  ]
}

function dailyExcess({ limits, orders, used }: Check): readonly Excess[] {
  const added = orders.reduce((sum, { dayMicros }) => sum + dayMicros, 0n)
  return added === 0n ? [] : dayExcess('maxDailyUsdc', limits, added, used)
}

/** The limit that a transfer would exceed; `used` includes the other transfers of the day. */
export function transferExcess(limits: Limits, micros: bigint, used: Used): readonly Excess[] {
  return dayExcess('maxTransferUsdc', limits, micros, used)
}

function dayExcess(
  name: 'maxDailyUsdc' | 'maxTransferUsdc',
  { [name]: max }: Limits,
  added: bigint,
  used: Used,
): readonly Excess[] {
  if (max === undefined || !exceedsDay(used, added, max)) return []
  const { dayMicros, dayRenewsAtMs } = used
  return [
    {
      name,
      reason: 'daily_value',
      limit: usdcNumber(max),
      ...(dayMicros !== null && { requested: usdcNumber(dayMicros + added) }),
      left: usdcNumber(leftOfDay(used, max)),
      ...(dayRenewsAtMs !== null && { renewsAtMs: dayRenewsAtMs }),
    },
  ]
}

function rateExcess({
  limits: { maxOrdersPerMinute: max },
  orders,
  used,
}: Check): readonly Excess[] {
  const requested = used.minuteOrders + orders.length
  if (max === undefined || orders.length === 0 || requested <= max) return []
  return [
    {
      name: 'maxOrdersPerMinute',
      reason: 'rate',
      limit: max,
      requested,
      left: Math.max(0, max - used.minuteOrders),
      ...(used.minuteRenewsAtMs !== null && { renewsAtMs: used.minuteRenewsAtMs }),
    },
  ]
}

function figureExcess({ limits, orders, used, figures }: Check): readonly Excess[] {
  if (!figures || orders.every(({ dayMicros }) => dayMicros === 0n)) return []
  const held = [...figures.exposures, ...unseenExposures(used)]
  const before = marketSides(held)
  const after = marketSides([...held, ...orders.map(addedByOrder)])
  const grown = grownSides(before, after)
  return [
    ...lossExcess(limits, lostMicros(figures)),
    ...positionExcess(limits, grown.values().reduce(larger, 0n)),
    ...leverageExcess(limits, leveragedMicros(before, after, grown), figures.valueMicros),
  ]
}

function addedByOrder({ dayMicros: micros, ...order }: PlannedOrder): Exposure {
  return addedExposure({ ...order, micros })
}

/** The known loss of the last 24 hours, in micro-USDC; zero after a profit. */
export function lostMicros({ dayResultMicros: result }: AccountFigures): bigint {
  return larger(0n, -result)
}

function lossExcess({ maxLossUsdc: max }: Limits, lost: bigint): readonly Excess[] {
  if (max === undefined || lost === 0n || lost < max) return []
  const excess = { name: 'maxLossUsdc', reason: 'loss', limit: usdcNumber(max) } as const
  return [{ ...excess, requested: usdcNumber(lost) }]
}

function positionExcess({ maxPositionUsdc: max }: Limits, reached: bigint): readonly Excess[] {
  if (max === undefined || reached <= max) return []
  return [
    {
      name: 'maxPositionUsdc',
      reason: 'position',
      limit: usdcNumber(max),
      requested: usdcNumber(reached),
    },
  ]
}

function leverageExcess(
  { maxLeverage: max }: Limits,
  total: bigint,
  value: bigint,
): readonly Excess[] {
  if (max === undefined || total <= BigInt(max) * value) return []
  const excess = { name: 'maxLeverage', reason: 'leverage', limit: max } as const
  return [value > 0n ? { ...excess, requested: leverageRatio(total, value) } : excess]
}

const RATIO_SCALE = 2

/** The first value divided by the second, rounded up to two decimals. */
export function leverageRatio(one: bigint, other: bigint): number {
  return toNumber(mulDiv(one, 100n, other, 'ceil'), RATIO_SCALE)
}
