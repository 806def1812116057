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

/** One order of a write: its value at the worst case, and what it adds to the day and to positions, in micro-USDC. */
export type PlannedOrder = AddedOrder & { readonly dayMicros: bigint }

/** The value of an order of unknown worst case where no limit of value holds: a limit of losses asks whether it opens. */
export const UNVALUED_MICROS = 1n

/** A limit that a write would exceed, in the numbers of answers: USDC, times in ms. */
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
  /** Null where no limit needs them. */
  readonly figures: AccountFigures | null
}

/** Whether orders within these limits cannot be judged without their value at the worst case. */
export function needsValue(limits: Limits): boolean {
  const { maxOrderUsdc, maxDailyUsdc, maxPositionUsdc, maxLeverage } = limits
  return [maxOrderUsdc, maxDailyUsdc, maxPositionUsdc, maxLeverage].some(
    (limit) => limit !== undefined,
  )
}

/** The limits that forbid opening orders at all, whatever their value, at a time of the wall clock. */
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

/** The limits on markets that orders in them would break. */
export function symbolExcess({ symbols }: Limits, asked: readonly string[]): readonly Excess[] {
  const other = symbols && asked.find((symbol) => !symbols.includes(symbol))
  if (!symbols || other === undefined) return []
  return [{ name: 'symbols', reason: 'symbol', limit: symbols, requested: other }]
}

/** The limit that a setting of leverage would exceed; null: the write sets no leverage. */
export function settingExcess(
  { maxLeverage: max }: Limits,
  requested: number | null,
): readonly Excess[] {
  if (max === undefined || requested === null || requested <= max) return []
  return [{ name: 'maxLeverage', reason: 'leverage', limit: max, requested }]
}

/** Every limit of value, rate and figures that opening orders would exceed, the first in front. */
export function valueExcess(check: Check): readonly Excess[] {
  return [
    ...orderExcess(check),
    ...dailyExcess(check),
    ...rateExcess(check),
    ...figureExcess(check),
  ]
}

/**
 * The largest value of an order in a market within these limits, in micro-USDC. It is below the order's own value,
 * which exceeds one of the limits. The part that counts towards the day falls with the value.
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

/** The limit that a transfer would exceed, with what other transfers of the day have used. */
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

/** The loss of 24 hours, as far as it is known, in micro-USDC. */
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

/** How often the second fits into the first, to two places and rounded up. */
export function leverageRatio(one: bigint, other: bigint): number {
  return toNumber(mulDiv(one, 100n, other, 'ceil'), RATIO_SCALE)
}
