import { LIMITS } from '../../src/contract/limits.ts'
import { parseExact } from '../../src/core/json.ts'
import { createScrub } from '../../src/gateway/scrub/scrub.ts'
import type { Projection } from '../../src/live/projections/projection.ts'
import { createProjection, parseTopic } from '../../src/live/projections/projections.ts'
import {
  balanceRows,
  fillRow,
  orderRow,
  positionRows,
  reportRows,
} from '../../src/upstream/wire/live.ts'
import { MalformedMessage, readLive } from '../../src/upstream/wire/live-messages.ts'

const SYMBOL = 'PERP_ETH_USDC'
const MARKET = { symbol: SYMBOL, open: 1, close: 1.5, high: 2, low: 1, volume: 10, amount: 15 }

/** One message of every kind, without its topic's time. */
const DATA: Readonly<Record<string, unknown>> = {
  tickers: [MARKET, { symbol: 'PERP_BTC_USDC', open: null }],
  markprices: [{ symbol: SYMBOL, price: 1.25 }],
  indexprices: [{ symbol: 'SPOT_ETH_USDC', price: '1.25' }],
  liquidation: [
    {
      ...{ liquidationId: 7, timestamp: 1, type: 'liquidated' },
      positionsByPerp: [{ symbol: SYMBOL, positionQty: -1.5, liquidatorFee: 0.01 }],
    },
  ],
  maintenance_status: [{ status: 2, msg: 'x', scheduled_maintenance: { start_time: 1 } }],
  [`${SYMBOL}@ticker`]: MARKET,
  [`${SYMBOL}@markprice`]: { symbol: SYMBOL, price: 1.25 },
  'SPOT_ETH_USDC@indexprice': { symbol: 'SPOT_ETH_USDC', price: 1.25 },
  [`${SYMBOL}@openinterest`]: { symbol: SYMBOL, openInterest: 12 },
  [`${SYMBOL}@estfundingrate`]: { symbol: SYMBOL, fundingRate: 1e-7, fundingTs: 9 },
  [`${SYMBOL}@orderbookupdate`]: {
    ...{ symbol: SYMBOL, prevTs: 1 },
    ...{
      asks: [
        [101.5, 1],
        ['102', 0],
      ],
      bids: [[99, 2.5]],
    },
  },
  [`${SYMBOL}@trade`]: { symbol: SYMBOL, price: 100.5, size: 0.1, side: 'BUY' },
  [`${SYMBOL}@kline_1m`]: { ...MARKET, type: '1m', startTime: 60_000, endTime: 120_000 },
  [`${SYMBOL}@kline_1h`]: { ...MARKET, type: '1h', startTime: 3_600_000, endTime: 7_200_000 },
  executionreport: {
    ...{ symbol: SYMBOL, orderId: 1, clientOrderId: 'x', type: 'LIMIT', side: 'BUY', price: 100 },
    ...{ quantity: 1, tradeId: 2, executedPrice: 100.5, executedQuantity: 1, fee: 0.1 },
    ...{ status: 'FILLED', totalExecutedQuantity: 1, avgExecutedPrice: 100.5, maker: true },
    ...{ timestamp: 5, feeAsset: 'USDC', reason: '', visibleQuantity: 1, match_id: 3, seq: 4 },
  },
  position: { positions: [{ symbol: SYMBOL, positionQty: 1, pnl24H: -1.5, imrwithOrders: 0.1 }] },
  balance: { balances: { USDC: { holding: 10.5, frozen: 0, pendingShortQty: 0 } } },
}

/** The topics that listen to all of these. */
const TOPICS = [
  ...['tickers', 'marks', 'liquidations', 'status'],
  ...['ticker', 'mark', 'orderbook', 'trades', 'funding'].map((name) => `${name}:${SYMBOL}`),
  ...['1m', '12h'].map((interval) => `candles:${SYMBOL}:${interval}`),
]

export const LIVE_TEXTS: readonly string[] = [
  ...Object.entries(DATA).map(([topic, data]) => JSON.stringify({ topic, ts: 1e12, data })),
  '{"event":"ping","ts":1}',
  '{"id":"x","event":"subscribe","success":true,"ts":5}',
  '{"id":"x","event":"subscribe","success":false,"ts":5,"errorMsg":"invalid topic x"}',
  '{"id":"auth","event":"auth","success":true,"ts":5}',
  '{"id":"book-1","event":"request","success":true,"ts":5,"data":{"symbol":"x","ts":5,"asks":[[1,1]],"bids":[]}}',
]

const scrub = createScrub({ names: [] })
const row = { ...MARKET, mark_price: 1, status: 'ACTIVE' }
const projections = TOPICS.map(openProjection)

function openProjection(text: string): Projection {
  const topic = parseTopic(text)
  if (!topic) throw new Error(text)
  const book = { topic: '', atMs: 1, data: { asks: [[101, 1]], bids: [[99, 1]] } }
  return createProjection(
    {
      feed: { book: async () => book, subscribe: () => none },
      reads: {
        markets: async () => [row],
        trades: async () => [],
        candles: async () => [],
        liquidations: async () => [],
        funding: async () => ({ symbol: SYMBOL, est_funding_rate: 0 }),
        status: async () => ({ status: 0, msg: 'ok' }),
        ticks: async () => ({ price: '0.1', quantity: '1' }),
      },
      clock: { nowMs: () => 0 },
      dropped: () => undefined,
    },
    topic,
  )
}

/** Gives a message to whoever listens to its topic, and has each make its next message and its whole of it. */
export async function checkLive(text: string): Promise<void> {
  const message = readLive(text)
  if (message.kind !== 'published') return
  for (const projection of projections.filter(({ topics }) => topics.includes(message.topic))) {
    await projection.load()
    const isTaken = allowed(() => projection.apply(message))
    if (isTaken) framed(projection.drainDelta()?.data)
    framed(projection.snapshot())
  }
  for (const [topic, read] of PRIVATE) {
    if (message.topic === topic) framed(allowed(() => read(message.data)))
  }
}

const PRIVATE: readonly (readonly [string, (data: unknown) => unknown])[] = [
  ['position', (data) => positionRows(data, none)],
  ['balance', (data) => balanceRows(data, none)],
  [
    'executionreport',
    (data) => reportRows(data, none).map((each) => [orderRow(each), fillRow(each)]),
  ],
]

function none(): void {
  // Rows that are left out are no fault.
}

function allowed<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof MalformedMessage) return undefined
    throw error
  }
}

/** What is sent is one JSON text. */
function framed(data: unknown): void {
  const { text } = scrub.frame({ type: 'event', ts: 0 }, data ?? null, { audience: 'public' })
  parseExact(text, LIMITS.scrubDepthMax + 4)
}
