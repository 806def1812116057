import { openBook, redeclare } from '../../tapes/books.ts'
import type {
  TapeFigure,
  TapeFunding,
  TapeLevels,
  TapeMarket,
  TapePrice,
} from '../../tapes/records.ts'
import { RATE_ONE } from '../base/units.ts'
import { worseThan } from '../book/ladder.ts'
import type { MarketSpec } from '../state/market-spec.ts'
import { BUY, type SideSign } from '../state/state.ts'
import type { Playback, Ratio, Scale, TapedMarket } from '../state/tape.ts'
import type { Scene } from '../state/world.ts'

/** Adds a market that the tape declares; null if the world does not have it. */
export function addMarket(
  { isMirror, markets, byMarket, bySymbol }: Playback,
  number: number,
  declared: TapeMarket,
): TapedMarket | null {
  const market = bySymbol.get(declared.symbol)
  if (!market) return null
  const taped: TapedMarket = {
    ...{ market, recorded: openBook(declared), scale: marketScale(declared, market.spec) },
    ...{ levels: new Map(), touched: new Set() },
    ...{ isIndexed: false, indexAtMs: 0, gapsPlayed: 0 },
  }
  if (isMirror) touchBook(taped)
  markets.set(number, taped)
  byMarket.set(market.number, taped)
  return taped
}

/** Marks all levels of a book, because orders that a mirror showed before it started again may be gone. */
function touchBook({ market, touched }: TapedMarket): void {
  for (const { side, best } of [market.book.bids, market.book.asks])
    for (let level = best; level; level = worseThan(level)) touched.add(side * level.price)
}

/** Applies a market's new declaration. */
export function rescale(taped: TapedMarket, declared: TapeMarket): void {
  redeclare(taped.recorded, declared)
  taped.scale = marketScale(declared, taped.market.spec)
}

/** Stores the recorded quantities of several levels. */
export function putLevels(taped: TapedMarket, side: SideSign, levels: TapeLevels): void {
  for (let at = 0; at < levels.length; at += 2)
    putLevel(taped, side, levels[at] ?? 0, levels[at + 1] ?? 0)
}

/** Stores a recorded quantity. Recorded prices between two ticks count for the same level. */
export function putLevel(
  taped: TapedMarket,
  side: SideSign,
  price: number,
  quantity: number,
): void {
  const { recorded, scale, levels, touched } = taped
  const { spec } = taped.market
  const tick = recordedTick(scale, side, price)
  if (tick < spec.priceMin || tick > spec.priceMax) return
  const own = side === BUY ? recorded.bids : recorded.asks
  const change = recordedSteps(scale, quantity) - recordedSteps(scale, own.get(price) ?? 0)
  if (quantity === 0) own.delete(price)
  else own.set(price, quantity)
  const key = side * tick
  const steps = (levels.get(key) ?? 0) + change
  if (steps === 0) levels.delete(key)
  else levels.set(key, steps)
  touched.add(key)
}

/** Forgets the recorded book of a market. */
export function clear({ recorded, levels, touched }: TapedMarket): void {
  recorded.bids.clear()
  recorded.asks.clear()
  for (const key of levels.keys()) touched.add(key)
  levels.clear()
}

/** Forgets all records of a mirror, before its markets are declared again and its books read again. */
export function forgetRecorded({ markets, byMarket }: Playback): void {
  markets.clear()
  byMarket.clear()
}

/** A change in a market's tape: index and mark price in ticks, the estimated funding rate with eight decimals. */
export type RecordedMove = {
  readonly index?: number
  readonly mark?: number
  readonly rate?: number
}

/** The price or the rate in a record. */
export function recordedMove(record: TapePrice | TapeFunding, spec: MarketSpec): RecordedMove {
  if (record.kind !== 'funding') return { [record.kind]: fractionalTicks(record.price, spec) }
  const { value, decimals } = record.rate
  return { rate: Math.round((value * RATE_ONE) / 10 ** decimals) }
}

/** Applies a change of a market's tape. Returns whether prices moved; the prices of a frozen market do not. */
export function followTape(
  scene: Scene,
  { index, mark, rate }: RecordedMove,
  atMs: number,
): boolean {
  scene.recordedRate = rate ?? scene.recordedRate
  if (atMs < scene.overrides.frozenUntilMs) return false
  scene.recordedMark = mark ?? scene.recordedMark
  scene.index = index === undefined ? scene.index : index * scene.overrides.scale
  scene.steppedAtMs = atMs
  return index !== undefined || mark !== undefined
}

/** Number of decimals of tick and step sizes. */
const DECIMALS = 8

/** The ratios that convert a market's recorded figures to ticks and steps. */
function marketScale(
  { priceDecimals, quantityDecimals }: Pick<TapeMarket, 'priceDecimals' | 'quantityDecimals'>,
  { tick, step }: MarketSpec,
): Scale {
  return { price: ratio(priceDecimals, tick), quantity: ratio(quantityDecimals, step) }
}

function ratio(decimals: number, unit: number): Ratio {
  return decimals <= DECIMALS
    ? { times: 10 ** (DECIMALS - decimals), by: unit }
    : { times: 1, by: unit * 10 ** (decimals - DECIMALS) }
}

/** The tick of a recorded price. Between two ticks, a bid is rounded down and an ask up. */
export function recordedTick(
  { price: { times, by } }: Scale,
  side: SideSign,
  price: number,
): number {
  const ticks = (price * times) / by
  return side === BUY ? Math.floor(ticks) : Math.ceil(ticks)
}

/** A recorded quantity in whole steps. */
export function recordedSteps({ quantity: { times, by } }: Scale, quantity: number): number {
  return Math.floor((quantity * times) / by)
}

/** A recorded price in ticks, with a fraction. */
function fractionalTicks({ value, decimals }: TapeFigure, { tick }: MarketSpec): number {
  const { times, by } = ratio(decimals, tick)
  return (value * times) / by
}
