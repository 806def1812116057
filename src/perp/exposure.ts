import { larger, mulDiv, PER_MICRO } from '../core/decimals.ts'
import { isObject } from '../core/json.ts'
import type { Used } from '../core/spending.ts'
import { fromMicros, times, toAmount, toMicros } from './amounts.ts'
import { type DayTotals, dayPnl, type PositionsDay, positionsDay } from './pnl.ts'
import {
  type MarginMode,
  type Position,
  parsePositions,
  parseSide,
  type Side,
} from './positions.ts'
import type { WaitingOrder } from './waiting.ts'
import { type MarketBound, type OpeningOrder, worstValue } from './worst-case.ts'

/** The position of an account in a market and the value that may still be bought and sold there, in amounts of USDC. */
export type Exposure = {
  readonly symbol: string
  /** Null: unknown. A part of unknown mode offsets only other such parts, and so reduces no position. */
  readonly mode: MarginMode | null
  /** Below zero for a short position. */
  readonly held: bigint
  readonly buys: bigint
  readonly sells: bigint
}

/** Figures of an account from its venue. */
export type AccountFigures = {
  /** When the first of them was asked for, by the wall clock. */
  readonly askedAtMs: number
  readonly valueMicros: bigint
  /** The result of 24 hours that positions show. */
  readonly day: PositionsDay
  /** The result of 24 hours with what is unrealised, and with what is known of fees and funding, in micro-USDC. */
  readonly dayResultMicros: bigint
  /** Positions and open orders at the mark price, and waiting conditional orders at their worst case. */
  readonly exposures: readonly Exposure[]
}

/**
 * The figures of an account in an answer to `GET /v1/positions`; null if one of them is missing. Waiting conditional
 * orders, and figures of the day from other reads, are added later.
 */
export function parseFigures(answer: unknown, askedAtMs: number): AccountFigures | null {
  if (!isObject(answer) || !Array.isArray(answer['rows'])) return null
  const value = toAmount(answer['account_value'])
  const positions = answer['rows'].every(isObject) ? parsePositions(answer) : null
  const day = positionsDay(answer)
  if (value === null || day.prices === null || !positions) return null
  return {
    askedAtMs,
    valueMicros: mulDiv(value, 1n, PER_MICRO, 'floor'),
    day,
    dayResultMicros: toMicrosNearest(day.prices + day.rowFees),
    exposures: positions.map(positionExposure),
  }
}

/**
 * The figures with the result of the last 24 hours, rounded as it is shown. Where funding or the
 * fees of settled positions are unknown, the result leaves them out, and a limit of losses applies to the rest.
 */
export function withDayResult(figures: AccountFigures, totals: DayTotals): AccountFigures {
  const { prices, fees, funding } = dayPnl(figures.day, totals)
  const known = (prices ?? 0n) + (fees ?? figures.day.rowFees) + (funding ?? 0n)
  return { ...figures, dayResultMicros: toMicrosNearest(known) }
}

const toMicrosNearest = (amount: bigint) => mulDiv(amount, 1n, PER_MICRO, 'half')

function positionExposure(position: Position): Exposure {
  const { symbol, mode, quantity, pendingBuys, pendingSells, mark } = position
  return {
    ...{ symbol, mode, held: times(quantity, mark) },
    ...{ buys: times(pendingBuys, mark, 'ceil'), sells: times(pendingSells, mark, 'ceil') },
  }
}

/** The figures with the conditional orders that wait; null if the worst case of one is not known. */
export function withWaiting(
  figures: AccountFigures,
  waiting: readonly WaitingOrder[],
  bounds: ReadonlyMap<string, MarketBound>,
): AccountFigures | null {
  const added = waiting.map((order) => {
    const micros = worstValue(order, bounds.get(order.symbol) ?? null)
    return micros === null ? null : addedExposure({ ...order, micros })
  })
  if (!added.every((exposure) => exposure !== null)) return null
  return { ...figures, exposures: [...figures.exposures, ...added] }
}

/** An order that may add to a position. */
export type AddedOrder = Pick<OpeningOrder, 'side' | 'mode'> & {
  readonly symbol: string
  readonly micros: bigint
}

/** The exposure of an order; of one whose side is not known on both. */
export function addedExposure({ symbol, side, mode, micros }: AddedOrder): Exposure {
  const value = fromMicros(micros)
  return {
    ...{ symbol, mode, held: 0n },
    buys: side === 'SELL' ? 0n : value,
    sells: side === 'BUY' ? 0n : value,
  }
}

/** The long and the short position that an account can come to in a market, in micro-USDC. */
export type MarketSides = { readonly long: bigint; readonly short: bigint }

/** The sides of an account by market, with its positions of both margin modes and its orders. */
export function marketSides(parts: readonly Exposure[]): ReadonlyMap<string, MarketSides> {
  const found = new Map<string, MarketSides>()
  for (const [symbol, own] of Map.groupBy(parts, (part) => part.symbol)) {
    const modes = [...Map.groupBy(own, ({ mode }) => mode).values()].map(totalExposure)
    const long = modes.reduce((sum, { held, buys }) => sum + larger(held + buys, 0n), 0n)
    const short = modes.reduce((sum, { held, sells }) => sum + larger(sells - held, 0n), 0n)
    found.set(symbol, { long: toMicros(long), short: toMicros(short) })
  }
  return found
}

/** The exposure in a market, in micro-USDC: the larger of its sides. */
export function marketExposure({ long, short }: MarketSides): bigint {
  return larger(long, short)
}

type Sides = Pick<Exposure, 'held' | 'buys' | 'sells'>

function totalExposure(parts: readonly Exposure[]): Sides {
  return parts.reduce<Sides>(
    (sum, { held, buys, sells }) => ({
      held: sum.held + held,
      buys: sum.buys + buys,
      sells: sum.sells + sells,
    }),
    { held: 0n, buys: 0n, sells: 0n },
  )
}

type AccountSides = ReadonlyMap<string, MarketSides>

/** The larger side that orders enlarge, by market. A side that they leave as it is, or reduce, may exceed a limit. */
export function grownSides(before: AccountSides, after: AccountSides): ReadonlyMap<string, bigint> {
  const grown = new Map<string, bigint>()
  for (const [symbol, { long, short }] of after) {
    const was = before.get(symbol) ?? { long: 0n, short: 0n }
    const most = larger(long > was.long ? long : 0n, short > was.short ? short : 0n)
    if (most > 0n) grown.set(symbol, most)
  }
  return grown
}

/** The value that orders lever: that of the sides they enlarge and of all other markets, or of all if that grows. */
export function leveragedMicros(
  before: AccountSides,
  after: AccountSides,
  grown: ReadonlyMap<string, bigint>,
): bigint {
  if (grown.size === 0) return 0n
  const all = totalMicros(after)
  if (all > totalMicros(before)) return all
  return [...after].reduce(
    (sum, [symbol, sides]) => sum + (grown.get(symbol) ?? marketExposure(sides)),
    0n,
  )
}

/** The exposures of all markets together. */
export function totalMicros(sides: AccountSides): bigint {
  return sides.values().reduce((sum, market) => sum + marketExposure(market), 0n)
}

/** The market of a reservation with the side of its order: `PERP_ETH_USDC BUY`, or the market alone. */
export function reservedMarket(symbol: string, side: Side | null): string {
  return side === null ? symbol : `${symbol} ${side}`
}

/** The exposures of writes that no figure may show yet. */
export function unseenExposures({ unseen }: Pick<Used, 'unseen'>): readonly Exposure[] {
  return [...unseen].map(([market, micros]) => {
    const [symbol = '', named] = market.split(' ')
    return addedExposure({ symbol, side: parseSide(named), mode: null, micros })
  })
}
