import { describe, expect, test } from 'bun:test'
import type { Feed, FeedMessage, FeedSink } from '../../../src/core/feed.ts'
import { UpstreamError } from '../../../src/core/ports.ts'
import type { RecordingCounts } from '../../../src/lab/recording/recorded-market.ts'
import { startRecording } from '../../../src/lab/recording/recorder.ts'
import type { BookState } from '../../../src/tapes/books.ts'
import { inspectTape } from '../../../src/tapes/inspect.ts'
import { TAPE_LIMITS, type TapeRecord } from '../../../src/tapes/records.ts'
import { openTapeWriter } from '../../../src/tapes/write.ts'
import { openVirtual, pass } from '../../simulator/embedded-fixture.ts'
import { recordsIn, tapeOf } from '../../tapes/fixture.ts'

const BTC = 'PERP_BTC_USDC'
const MARKET = { symbol: BTC, rules: '{}', priceDecimals: 1, quantityDecimals: 5 }

/** A wire whose messages the test sends. */
function scriptedFeed() {
  const sinks = new Map<string, FeedSink>()
  const books: ((message: FeedMessage | UpstreamError) => void)[] = []
  const feed: Feed = {
    subscribe: (topic, sink) => {
      sinks.set(topic, sink)
      return () => sinks.delete(topic)
    },
    book: () =>
      new Promise((resolve, reject) => {
        books.push((answer) => (answer instanceof UpstreamError ? reject(answer) : resolve(answer)))
      }),
    account: null,
    size: () => ({ topics: sinks.size, accounts: 0, malformed: 0 }),
    close: () => undefined,
  }
  const send = (topic: string, atMs: number, data: unknown) =>
    sinks.get(topic)?.message({ topic, atMs, data })
  return {
    feed,
    sinks,
    send,
    opened: () =>
      [`${BTC}@orderbookupdate`, `${BTC}@trade`].map((topic) => sinks.get(topic)?.opened()),
    lost: (topic: string) => sinks.get(`${BTC}@${topic}`)?.lost(),
    change: (atMs: number, prevTs: number, bids: unknown[] = [[100, 1]]) =>
      send(`${BTC}@orderbookupdate`, atMs, { symbol: BTC, prevTs, bids, asks: [] }),
    trade: (atMs: number, price: unknown = 100) =>
      send(`${BTC}@trade`, atMs, { symbol: BTC, side: 'BUY', price, size: 0.5 }),
    answerBook: async (atMs: number, answer?: UpstreamError) => {
      books.shift()?.(
        answer ?? { topic: 'book', atMs, data: { bids: [[99, 2]], asks: [[101, 3]] } },
      )
      await Promise.resolve()
      await Promise.resolve()
    },
    asked: () => books.length,
  }
}

function recording(wire: ReturnType<typeof scriptedFeed>, tape = tapeOf()) {
  const writer = openTapeWriter(tape, TAPE_LIMITS)
  const failures: unknown[] = []
  const failed = (error: unknown) => failures.push(error)
  const { counts, stop } = startRecording({ feed: wire.feed, writer, failed, markets: [MARKET] })
  const end = (): { records: TapeRecord[]; counts: RecordingCounts } => {
    stop()
    writer.flush()
    expect(failures).toEqual([])
    return { records: recordsIn(tape), counts }
  }
  return { end, tape }
}

describe('a recording', () => {
  test('begins with the whole book, and keeps what arrived while it was read', async () => {
    const wire = scriptedFeed()
    const { end } = recording(wire)
    wire.opened()
    wire.trade(5)
    wire.change(10, 9)
    wire.change(12, 10)
    wire.trade(13)
    await wire.answerBook(10)
    const { records } = end()
    expect(records.map(briefly)).toEqual(['market', 'whole 10000', 'book 12000', 'trade 13000'])
    expect(records[2]).toMatchObject({ bids: [1000, 100_000], asks: [] })
  })

  test('marks a gap for a lost connection and a missing message, and bridges neither', async () => {
    const wire = scriptedFeed()
    const { end } = recording(wire)
    wire.opened()
    await wire.answerBook(10)
    wire.change(12, 10)
    wire.lost('trade')
    wire.change(13, 12)
    wire.lost('orderbookupdate')
    wire.opened()
    wire.trade(20)
    await wire.answerBook(21)
    wire.change(24, 23)
    wire.trade(25)
    await wire.answerBook(26)
    const { records, counts } = end()
    expect(records.map(briefly)).toEqual([
      'market',
      'whole 10000',
      'book 12000',
      'gap 12000-21000 connection',
      'whole 21000',
      'gap 21000-26000 sequence',
      'whole 26000',
    ])
    expect(counts).toMatchObject({ books: 4, gaps: 2, malformed: 0 })
  })

  test('takes a message that it cannot read for a missing one, and reads a refused book again', async () => {
    const wire = scriptedFeed()
    const { end } = recording(wire)
    wire.opened()
    await wire.answerBook(10)
    wire.trade(11, '1e-30')
    wire.send(`${BTC}@orderbookupdate`, 12, { bids: 'none' })
    await wire.answerBook(14)
    const { records, counts } = end()
    expect(records.map(briefly).slice(-2)).toEqual(['gap 10000-14000 sequence', 'whole 14000'])
    expect(counts.malformed).toBe(1)
    const other = scriptedFeed()
    const refused = recording(other)
    other.opened()
    await other.answerBook(0, new UpstreamError('timeout', true))
    expect(refused.end().records.map(briefly)).toEqual(['market'])
  })

  test('declares more decimals for a finer figure, and records prices only when they change', async () => {
    const wire = scriptedFeed()
    const { end } = recording(wire)
    wire.opened()
    await wire.answerBook(10)
    wire.trade(11, 100.125)
    for (const [atMs, price] of [
      [12, 100.1],
      [13, 100.1],
      [14, 100.2],
    ] as const)
      wire.send('markprices', atMs, [
        { symbol: BTC, price },
        { symbol: 'PERP_OTHER_USDC', price },
      ])
    wire.send(`${BTC}@estfundingrate`, 15, { symbol: BTC, fundingRate: -0.00012, fundingTs: 20 })
    const { records } = end()
    expect(records.slice(2).map(briefly)).toEqual([
      'market',
      'trade 11000',
      'mark 12000',
      'mark 14000',
      'funding 15000',
    ])
    expect(records[2]).toMatchObject({ priceDecimals: 3 })
    expect(records[3]).toMatchObject({ price: 100_125, quantity: 50_000 })
    expect(records[6]).toMatchObject({ rate: { value: -12, decimals: 5 }, nextUs: 20_000 })
  })

  test('goes on with a tape after a gap, and ends every subscription', async () => {
    const first = scriptedFeed()
    const { end, tape } = recording(first)
    first.opened()
    await first.answerBook(10)
    end()
    expect(first.sinks.size).toBe(0)
    const second = scriptedFeed()
    const again = recording(second, tape)
    second.opened()
    await second.answerBook(50)
    expect(again.end().records.map(briefly)).toEqual([
      'market',
      'whole 10000',
      'gap 10000-50000 stopped',
      'whole 50000',
    ])
  })

  test('of the embedded venue has its books and every trade', async () => {
    const { venue } = openVirtual(1, () => 0, undefined, [BTC])
    const tape = tapeOf()
    const writer = openTapeWriter(tape, TAPE_LIMITS)
    const failed = (error: unknown) => expect(error).toBe(null)
    const { stop, begun, counts } = startRecording({
      feed: venue.live,
      writer,
      failed,
      markets: [MARKET],
    })
    await begun
    const traded = countTrades(venue.live)
    pass(venue, 200_000, 200)
    const { data } = await venue.live.book(BTC)
    stop()
    writer.flush()
    const { broken, gaps } = inspectTape(tape)
    expect({ broken, gaps }).toEqual({ broken: [], gaps: [] })
    expect(traded.count).toBeGreaterThan(0)
    expect(counts.trades).toBe(traded.count)
    expect(booksOf(writer.books.get(0))).toEqual(sortedSides(data))
  })
})

function countTrades({ subscribe }: Feed): { count: number } {
  const counted = { count: 0 }
  const nothing = () => undefined
  const message = () => {
    counted.count += 1
  }
  subscribe(`${BTC}@trade`, { opened: nothing, lost: nothing, message })
  return counted
}

function booksOf(state: BookState | undefined) {
  const side = (levels: ReadonlyMap<number, number> = new Map()) =>
    [...levels].map(([price, quantity]) => [price / 10, quantity / 1e5])
  return sortedSides({ bids: side(state?.bids), asks: side(state?.asks) })
}

function sortedSides(data: unknown) {
  const { bids, asks } = Object(data)
  const sorted = (rows: number[][]) => rows.toSorted(([a = 0], [b = 0]) => a - b)
  return { bids: sorted(bids), asks: sorted(asks) }
}

function briefly(record: TapeRecord): string {
  if (record.kind === 'market') return 'market'
  if (record.kind === 'gap') return `gap ${record.fromUs}-${record.atUs} ${record.cause}`
  return `${record.kind === 'book' && record.isWhole ? 'whole' : record.kind} ${record.atUs}`
}
