import { describe, expect, test } from 'bun:test'
import type { FeedBook } from '../../../../src/simulator/listing/feed.ts'
import { differences, NOW_MS, openWorld, refusalOf } from '../../feed/calls.ts'

const { feed, get, query } = openWorld()
const BTC = 'PERP_BTC_USDC'

const LEVEL = { price: 'string', quantity: 'string' }
const ORDERBOOK = {
  symbol: 'string',
  mid_price: 'string',
  spread: 'string',
  asks: [LEVEL],
  bids: [LEVEL],
  ts: 'number',
}
const CANDLE = {
  open: 'string',
  high: 'string',
  low: 'string',
  close: 'string',
  volume: 'string',
  timestamp: 'number',
}
const TRADER = {
  address: 'string',
  broker_id: 'string',
  total_notional: 'string',
  pnl_24h: 'string',
  pnl_7d: 'string',
  pnl_30d: 'string',
  volume_24h: 'string',
  volume_7d: 'string',
  volume_30d: 'string',
  trade_count_24h: 'number',
  win_rate_24h: 'number',
  win_rate_7d: 'number',
  win_rate_30d: 'number',
  avg_trade_size: 'string',
  position_count: 'number',
}

type LevelText = { price: string; quantity: string }
type BookText = {
  mid_price: string | null
  spread: string | null
  asks: LevelText[]
  bids: LevelText[]
}
type Candles = { rows: { close: string; timestamp: number }[]; next_cursor: null }
type Leaders = { rows: Record<string, string>[]; last_updated_time: number }

describe('the order book', () => {
  test('is the book that the exchange gives, in text, best first', () => {
    const book = query<BookText>({ type: 'orderbook', symbol: BTC, max_level: 5 })
    const [ask, bid] = [book.asks[0], book.bids[0]]
    expect(differences(book, ORDERBOOK)).toEqual([])
    const { asks } = feed.book(BTC, 5)
    expect(book.asks.map(({ price }) => Number(price))).toEqual(
      asks.map(({ price }) => Number(price) / 1e8),
    )
    expect(book.bids.length).toBe(5)
    expect(bid?.price).toMatch(/^\d+\.\d$/)
    expect(bid?.quantity).toMatch(/^\d+\.\d{5}$/)
    expect(Number(book.spread)).toBeCloseTo(Number(ask?.price) - Number(bid?.price), 8)
    expect(Number(book.mid_price)).toBeWithin(Number(bid?.price), Number(ask?.price))
  })

  test('shows up to a hundred levels unless told otherwise', () => {
    const { asks } = feed.book(BTC, 100)
    expect(query<BookText>({ type: 'orderbook', symbol: BTC }).asks.length).toBe(asks.length)
    expect(asks.length).toBeGreaterThan(10)
  })

  test.each<[string, (book: FeedBook) => FeedBook]>([
    ['asks', ({ asks }) => ({ asks, bids: [] })],
    ['bids', ({ bids }) => ({ bids, asks: [] })],
    ['nothing', () => ({ bids: [], asks: [] })],
  ])('has neither middle nor spread when it holds only %s', (_, halve) => {
    const book = query<BookText>({ type: 'orderbook', symbol: BTC }, NOW_MS, (...of) =>
      halve(feed.book(...of)),
    )
    expect([book.mid_price, book.spread]).toEqual([null, null])
  })
})

describe('candles', () => {
  test.each(['1m', '5m', '15m', '30m', '1h', '4h', '1d', '1w'])(
    'of %s are text, oldest first, up to now',
    (interval) => {
      const { rows, next_cursor } = query<Candles>({
        type: 'candles',
        symbol: BTC,
        interval,
        limit: 5,
      })
      expect(differences(rows, [CANDLE])).toEqual([])
      expect(next_cursor).toBeNull()
      const future = get<{ '24h_close': number }>(`/v1/public/futures/${BTC}`)
      expect(rows.length).toBe(5)
      const times = rows.map(({ timestamp }) => timestamp)
      expect(times).toEqual(times.toSorted((a, b) => a - b))
      expect(Number(rows.at(-1)?.close)).toBe(future['24h_close'])
    },
  )

  test('are a hundred unless told otherwise', () => {
    expect(query<Candles>({ type: 'candles', symbol: BTC, interval: '1h' }).rows.length).toBe(100)
  })
})

describe('the leaderboard', () => {
  test.each([
    ['volume_24h', 'volume_24h'],
    ['volume_7d', 'volume_7d'],
    ['volume_30d', 'volume_30d'],
    ['pnl_24h', 'pnl_24h'],
    ['pnl_7d', 'pnl_7d'],
    ['pnl_30d', 'pnl_30d'],
    ['notional', 'total_notional'],
  ])('sorts by %s, the largest first', (sort_by, field) => {
    const { rows, last_updated_time } = query<Leaders>({ type: 'topAddresses', sort_by, limit: 60 })
    expect(differences(rows, [TRADER])).toEqual([])
    const figures = rows.map((row) => Number(row[field]))
    expect(figures).toEqual(figures.toSorted((a, b) => b - a))
    expect(figures.length).toBe(60)
    expect(last_updated_time).toBeLessThanOrEqual(NOW_MS)
  })

  test('tells whole addresses, fifty unless told otherwise', () => {
    const { rows } = query<Leaders>({ type: 'topAddresses', sort_by: 'volume_24h' })
    expect(rows.length).toBe(50)
    expect(rows.filter(({ address = '' }) => !/^0x[0-9a-f]{40}$/.test(address))).toEqual([])
  })
})

describe('a query that cannot be answered', () => {
  test.each([
    'not json',
    '[]',
    { type: 'orderbook', symbol: 'PERP_NOPE_USDC' },
    { type: 'orderbook', symbol: BTC, max_level: 0 },
    { type: 'candles', symbol: BTC, interval: '12h' },
    { type: 'candles', symbol: BTC, interval: '1h', limit: 1001 },
    { type: 'candles', symbol: BTC, interval: '1h', limit: '5' },
    { type: 'topAddresses', sort_by: 'volume_1y' },
    { type: 'topAddresses', sort_by: 'volume_constructor' },
    { type: 'topAddresses', sort_by: 'notional', limit: 201 },
  ])('is refused in words: %o', (body) => {
    expect(refusalOf(() => query(body))).toEqual({ status: 400, code: 'INVALID_PARAM' })
  })

  test('says that its symbol is missing', () => {
    expect(refusalOf(() => query({ type: 'orderbook' }))).toEqual({
      status: 400,
      code: 'MISSING_PARAM',
    })
  })

  test('has a word of its own for a type that there is not, and for none', () => {
    for (const type of ['toString', 'fills', 7])
      expect(refusalOf(() => query({ type }))).toEqual({ status: 400, code: 'UNKNOWN_TYPE' })
    expect(refusalOf(() => query({}))).toEqual({ status: 400, code: 'MISSING_PARAM' })
  })

  test('does not echo what was no symbol', () => {
    expect(() => query({ type: 'orderbook', symbol: '<b>' })).toThrow(/^symbol not found$/)
    expect(() => query({ type: 'orderbook', symbol: 'PERP_NOPE_USDC' })).toThrow(
      'symbol PERP_NOPE_USDC not found',
    )
  })
})
