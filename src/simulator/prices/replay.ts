import { MINUTE_MS } from '../../contract/durations.ts'
import { parseTableTime, TABLE_TIME } from '../../core/table-time.ts'
import { RATE_ONE } from '../base/units.ts'
import type { MarketSpec } from '../state/market-spec.ts'
import type { IndexSource, ReplayedPrices } from '../state/world.ts'

/** One row of a candle file. Prices are in USDC. */
type Row = {
  readonly symbol: string
  readonly atMs: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

const COLUMNS = ['symbol', 'time', 'open', 'high', 'low', 'close', 'volume'] as const
/** A shorter candle would have no time for its four prices. */
const CANDLE_MIN_MS = 4

/** The candles of a symbol, oldest first, and the length of each. */
type Candles = { readonly rows: readonly Row[]; readonly lengthMs: number }

/**
 * Index prices from recorded candles. The file has rows `symbol,time,open,high,low,close,volume` in any order, with or
 * without this heading. `parseTableTime` reads the times. A symbol's candles are as long as the shortest time between
 * two candles. Within a candle the price moves from the open through both extremes to the close. If the close is at or
 * above the open, the low comes first. Outside of candles the price does not change. Throws RangeError that names the
 * line, if a line is malformed or repeats a candle.
 */
export function replayedPrices(
  text: string,
  specs: ReadonlyMap<string, Pick<MarketSpec, 'tick'>>,
): ReplayedPrices {
  const candles = candlesIn(text)
  return {
    kind: 'replayed',
    priceAt: (symbol, atMs) => {
      const price = priceAt(candles.get(symbol), atMs)
      const tick = specs.get(symbol)?.tick
      return price === null || tick === undefined ? null : (price * RATE_ONE) / tick
    },
    nextStopMs: (symbol, afterMs) => nextStopMs(candles.get(symbol), afterMs),
    stillSinceMs: (symbol, atMs) => stillSinceMs(candles.get(symbol), atMs),
  }
}

/** For each symbol of a candle file, when its candles begin and end. Throws RangeError as `replayedPrices` does. */
export function candleSpans(text: string): ReadonlyMap<string, CandleSpan> {
  return new Map(
    Array.from(candlesIn(text), ([symbol, { rows, lengthMs }]) => [
      symbol,
      { fromMs: rows[0]?.atMs ?? 0, toMs: (rows.at(-1)?.atMs ?? 0) + lengthMs },
    ]),
  )
}

export type CandleSpan = { readonly fromMs: number; readonly toMs: number }

/**
 * The numbers of markets whose index price recorded candles now move, and of markets whose index price stands still.
 */
export type StillPrices = {
  readonly moving: number
  readonly still: number
  /**
   * When each symbol's price last moved, in ISO 8601; null before its first candle. Symbols without candles are absent.
   */
  readonly stillSince: Readonly<Record<string, string | null>>
}

/** Which markets recorded candles move at a time; null if prices come from the seed. */
export function stillPricesAt(
  prices: IndexSource,
  symbols: readonly string[],
  atMs: number,
): StillPrices | null {
  if (prices.kind !== 'replayed') return null
  const since = symbols.map((symbol) => [symbol, prices.stillSinceMs(symbol, atMs)] as const)
  const still = since.flatMap(([symbol, ms]) => (ms === null ? [] : [[symbol, ms] as const]))
  const recorded = still.filter(([symbol]) => prices.nextStopMs(symbol, 0) !== null)
  return {
    moving: symbols.length - still.length,
    still: still.length,
    stillSince: Object.fromEntries(
      recorded.map(([symbol, ms]) => [
        symbol,
        Number.isFinite(ms) ? new Date(ms).toISOString() : null,
      ]),
    ),
  }
}

function candlesIn(text: string): ReadonlyMap<string, Candles> {
  const bySymbol = new Map<string, (Row & { readonly line: number })[]>()
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || (at === 0 && line.startsWith(COLUMNS[0]))) continue
    const row = { ...parseCandle(line, at + 1), line: at + 1 }
    const known = bySymbol.get(row.symbol)
    if (known) known.push(row)
    else bySymbol.set(row.symbol, [row])
  }
  for (const rows of bySymbol.values()) rows.sort((a, b) => a.atMs - b.atMs || a.line - b.line)
  return new Map(
    Array.from(bySymbol, ([symbol, rows]) => [symbol, { rows, lengthMs: candleLengthMs(rows) }]),
  )
}

/** The shortest time between two candles of a symbol; one minute if there is only one candle. */
function candleLengthMs(rows: readonly (Row & { readonly line: number })[]): number {
  let shortestMs = Number.POSITIVE_INFINITY
  for (const [at, { atMs, line }] of rows.entries()) {
    const elapsedMs = atMs - (rows[at - 1]?.atMs ?? Number.NEGATIVE_INFINITY)
    if (elapsedMs < CANDLE_MIN_MS) throw new RangeError(`line ${line} repeats the time of a candle`)
    shortestMs = Math.min(shortestMs, elapsedMs)
  }
  return Number.isFinite(shortestMs) ? shortestMs : MINUTE_MS
}

function parseCandle(line: string, number: number): Row {
  const cells = line.split(',').map((cell) => cell.trim())
  const [symbol = '', time = '', ...figures] = cells
  const [open = 0, high = 0, low = 0, close = 0] = figures.map(Number)
  const atMs = parseTimeMs(time)
  const isSound =
    low > 0 &&
    low <= Math.min(open, close) &&
    high >= Math.max(open, close) &&
    Number.isFinite(high)
  if (cells.length !== COLUMNS.length || !isSound)
    throw new RangeError(`line ${number} is no candle: ${COLUMNS.join(',')}`)
  if (Number.isNaN(atMs))
    throw new RangeError(`line ${number} is no candle: its time must be ${TABLE_TIME}`)
  return { symbol, atMs, open, high, low, close }
}

/** A time in ms; NaN for any other text. */
function parseTimeMs(text: string): number {
  const atUs = parseTableTime(text)
  return atUs === null ? Number.NaN : Math.floor(atUs / 1000)
}

function priceAt(candles: Candles | undefined, atMs: number): number | null {
  const row = candles?.rows[lastAt(candles.rows, atMs)]
  return candles && row ? within(candleStops(row, candles.lengthMs), atMs) : null
}

/** When the price next reaches an open, an extreme or a close; null after the last. */
function nextStopMs(candles: Candles | undefined, afterMs: number): number | null {
  if (!candles) return null
  const { rows, lengthMs } = candles
  const at = lastAt(rows, afterMs)
  const row = rows[at]
  const own = row && candleStops(row, lengthMs).find((stop) => stop.atMs > afterMs)
  return own?.atMs ?? rows[at + 1]?.atMs ?? null
}

/**
 * The time since which the price has stood still: null while a candle moves it, minus infinity before the first candle.
 */
function stillSinceMs(candles: Candles | undefined, atMs: number): number | null {
  const row = candles?.rows[lastAt(candles.rows, atMs)]
  if (!candles || !row) return Number.NEGATIVE_INFINITY
  const endMs = row.atMs + candles.lengthMs
  return atMs < endMs ? null : endMs
}

/** The index of the last row that begins at or before a time; -1 if every row begins later. */
function lastAt(rows: readonly Row[], atMs: number): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rows[middle]?.atMs ?? 0) <= atMs) low = middle + 1
    else high = middle
  }
  return low - 1
}

type Stop = { readonly atMs: number; readonly price: number }

/** The four prices of a candle: the open, an extreme after each third, and the close in its last millisecond. */
function candleStops({ atMs, open, high, low, close }: Row, lengthMs: number): readonly Stop[] {
  const prices = close >= open ? [open, low, high, close] : [open, high, low, close]
  return prices.map((price, third) => ({
    price,
    atMs: atMs + Math.min(Math.round((lengthMs * third) / 3), lengthMs - 1),
  }))
}

/** The price at a time, linear between two stops. After the last stop, the price of the last stop. */
function within(stops: readonly Stop[], atMs: number): number {
  const next = stops.findIndex((stop) => stop.atMs > atMs)
  const [from, to] = [stops.at(next - 1), stops.at(next)]
  if (!from || !to) return 0
  if (next === -1) return to.price
  return from.price + ((to.price - from.price) * (atMs - from.atMs)) / (to.atMs - from.atMs)
}
