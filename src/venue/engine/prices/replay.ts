import type { MarketSpec } from '../market-spec.ts'
import { ONE } from '../units.ts'
import type { IndexSource } from '../world.ts'

/** One row of a file of candles. Prices in USDC. */
type Row = {
  readonly symbol: string
  readonly atMs: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

const COLUMNS = ['symbol', 'time', 'open', 'high', 'low', 'close', 'volume'] as const
/** A time with no more digits than this is in seconds. */
const SECONDS_DIGITS_MAX = 10
const MINUTE_MS = 60_000

/**
 * Index prices read off candles: a file of rows `symbol,time,open,high,low,close,volume`, with or without that heading;
 * times are milliseconds, seconds or ISO 8601. Within a candle the price goes from open by the nearer extreme and the
 * other to the close. Between and after candles it stands. Throws RangeError naming the line that is none.
 */
export function replayedPrices(
  text: string,
  specs: ReadonlyMap<string, Pick<MarketSpec, 'tick'>>,
): IndexSource {
  const rows = new Map<string, Row[]>()
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || (at === 0 && line.startsWith(COLUMNS[0]))) continue
    const row = rowOf(line, at + 1)
    const known = rows.get(row.symbol) ?? []
    known.push(row)
    rows.set(row.symbol, known)
  }
  for (const known of rows.values()) known.sort((a, b) => a.atMs - b.atMs)
  return {
    kind: 'replayed',
    priceAt: (symbol, atMs) => {
      const price = priceAt(rows.get(symbol) ?? [], atMs)
      const tick = specs.get(symbol)?.tick
      return price === null || tick === undefined ? null : (price * ONE) / tick
    },
  }
}

function rowOf(line: string, number: number): Row {
  const cells = line.split(',').map((cell) => cell.trim())
  const [symbol = '', time = '', ...figures] = cells
  const [open = 0, high = 0, low = 0, close = 0] = figures.map(Number)
  const atMs = timeOf(time)
  const isSound = low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close)
  if (cells.length !== COLUMNS.length || !Number.isFinite(atMs) || !isSound)
    throw new RangeError(`line ${number} is no candle: ${COLUMNS.join(',')}`)
  return { symbol, atMs, open, high, low, close }
}

function timeOf(text: string): number {
  if (!/^\d+$/.test(text)) return Date.parse(text)
  return text.length <= SECONDS_DIGITS_MAX ? Number(text) * 1000 : Number(text)
}

function priceAt(rows: readonly Row[], atMs: number): number | null {
  const at = lastAt(rows, atMs)
  const row = rows[at]
  if (!row) return null
  const next = rows[at + 1] ?? {
    atMs: row.atMs + (row.atMs - (rows[at - 1]?.atMs ?? row.atMs - MINUTE_MS)),
  }
  return within(row, Math.min(1, (atMs - row.atMs) / (next.atMs - row.atMs)))
}

/** The last row that begins at or before a time; -1 when none does. */
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

/** The price at a part of a candle: three straight thirds. */
function within({ open, high, low, close }: Row, part: number): number {
  const stops = close >= open ? [open, low, high, close] : [open, high, low, close]
  const third = Math.min(2, Math.floor(part * 3))
  const [from = open, to = close] = stops.slice(third, third + 2)
  return from + (to - from) * (part * 3 - third)
}
