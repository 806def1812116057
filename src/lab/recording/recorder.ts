import { SYMBOL_PATTERN } from '../../contract/market/symbols.ts'
import type { FeedMessage } from '../../core/feed.ts'
import { type Row, toFloat } from '../../core/json.ts'
import { parseFigure } from '../../tapes/figures.ts'
import { openMarketTape } from '../../tapes/markets.ts'
import { LIVE_TOPICS, marketPatches } from '../../upstream/wire/live.ts'
import { guardRecording, type Recording, recordMarket } from './recorded-market.ts'

/** A market of the venue, with its rules as JSON text. */
export type WireMarket = {
  readonly symbol: string
  readonly rules: string
  readonly priceDecimals: number
  readonly quantityDecimals: number
}

type RecorderOptions = Pick<Recording, 'feed' | 'writer' | 'failed' | 'mirror'> & {
  readonly markets: readonly WireMarket[]
}

/** A market's number in the tape, and the last recorded text of each price and rate. */
type RecordedPrices = { readonly number: number; readonly last: Map<string, string> }

/** The market of a row of the venue's rules; null for a private market or an unreadable row. */
export function toWireMarket(row: Row): WireMarket | null {
  const { symbol, quote_tick: quoteTick, base_tick: baseTick } = row
  if (typeof symbol !== 'string' || !SYMBOL_PATTERN.test(symbol)) return null
  if (typeof quoteTick !== 'number' || typeof baseTick !== 'number') return null
  const [price, quantity] = [parseFigure(String(quoteTick)), parseFigure(String(baseTick))]
  const scales = { priceDecimals: price.decimals, quantityDecimals: quantity.decimals }
  return { symbol, rules: JSON.stringify(row), ...scales }
}

/**
 * Records the public feed of markets: books, trades, mark and index prices, funding. An existing tape continues after a
 * gap.
 */
export function startRecording({ markets, ...parts }: RecorderOptions) {
  const tape = openMarketTape(parts.writer)
  const counts = { books: 0, trades: 0, prices: 0, gaps: 0, malformed: 0 }
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const unknown = new Set(markets.map(({ symbol }) => symbol))
  const opened = (symbol: string) => {
    unknown.delete(symbol)
    if (unknown.size === 0) resolve()
  }
  const recording: Recording = { ...parts, opened, tape, counts, isStopped: false }
  const prices = new Map<string, RecordedPrices>()
  const recorded = markets.map(({ symbol, rules, ...scales }) => {
    const number = tape.declare(symbol, rules, scales)
    prices.set(symbol, { number, last: new Map() })
    return recordMarket(recording, { symbol, number })
  })
  const ends = markets.map(({ symbol }) =>
    recordPrices(recording, LIVE_TOPICS.funding(symbol), prices),
  )
  for (const topic of [LIVE_TOPICS.marks, LIVE_TOPICS.indexes])
    ends.push(recordPrices(recording, topic, prices))
  return {
    counts,
    /** Settles when every market has a first snapshot. */
    begun,
    /** Begins a gap in each mirrored market without recent mark prices. */
    checkMarks: () => {
      for (const { checkMarks } of recorded) checkMarks()
    },
    /** Time of the last mark prices of a mirror; null before the first. */
    marksAtMs: () => recorded[0]?.marksAtMs() ?? null,
    stop: () => {
      recording.isStopped = true
      for (const end of [...recorded.flatMap(({ ends }) => ends), ...ends]) end()
    },
  }
}

/** Records prices. Each message is complete, so a lost message causes no gap. */
function recordPrices(
  recording: Recording,
  topic: string,
  prices: ReadonlyMap<string, RecordedPrices>,
): () => void {
  const dropped = (rows: number) => {
    recording.counts.malformed += rows
  }
  const take = ({ data, atMs }: FeedMessage) => {
    for (const row of marketPatches(topic, data, dropped)) {
      const market = prices.get(String(row['symbol']))
      if (market) for (const kind of KINDS) takePrice(recording, market, kind, row, atMs)
    }
  }
  const nothing = () => undefined
  const message = (received: FeedMessage) =>
    guardRecording(recording, () => take(received), nothing)
  return recording.feed.subscribe(topic, { opened: nothing, lost: nothing, message })
}

const FIELDS = { mark: 'mark_price', index: 'index_price', funding: 'est_funding_rate' } as const
const KINDS = ['mark', 'index', 'funding'] as const

/** Records a price or rate that has changed. */
function takePrice(
  { writer, counts }: Recording,
  { number: market, last }: RecordedPrices,
  kind: (typeof KINDS)[number],
  row: Row,
  atMs: number,
): void {
  const value = row[FIELDS[kind]]
  const nextMs = toFloat(row['next_funding_time']) ?? 0
  const text = `${value} ${nextMs}`
  if (value === undefined || last.get(kind) === text) return
  const [atUs, figure] = [atMs * 1000, parseFigure(String(value))]
  if (kind === 'funding') writer.add({ kind, market, atUs, rate: figure, nextUs: nextMs * 1000 })
  else writer.add({ kind, market, atUs, price: figure })
  last.set(kind, text)
  counts.prices += 1
}
