import { type TSchema, Type } from '@sinclair/typebox'
import {
  CandlesAnswer,
  FundingAnswer,
  LiquidationsAnswer,
  MarketRow,
  MarketsAnswer,
  OrderbookAnswer,
  TradesAnswer,
} from '../market.ts'

/** The parameters of a topic. A topic's name is the row's name and the parameter values, separated by colons. */
type StreamParameter = 'symbol' | 'interval'

/**
 * How a topic publishes its state:
 * - `replaced`: every message is the whole state.
 * - `fields`: a snapshot, then the changed fields of each row, by symbol.
 * - `book`: a snapshot, then the changed levels.
 * - `rows`: a snapshot of rows, then new rows. A new row replaces the row with the same time.
 * - `events`: a snapshot of the latest events, then new events.
 * - `account`: events of the account that the connection has authenticated.
 */
type StreamKind = 'replaced' | 'fields' | 'book' | 'rows' | 'events' | 'account'

type StreamRow = {
  readonly parameters: readonly StreamParameter[]
  readonly kind: StreamKind
  /** Minimum interval between batches of messages; 0 sends at once. */
  readonly intervalMs: number
  readonly summary: string
  /**
   * The route whose fields a snapshot has. For an account's topic: the relayed reads that return the account's state.
   */
  readonly reads: readonly string[]
  /** The schema of `data` in a snapshot, and in later messages if it differs. */
  readonly whole: TSchema
  readonly change?: TSchema
}

const text = Type.String()
const number = Type.Number()

const MarkRow = Type.Object({ symbol: text, mark_price: number })

const MarketChanges = Type.Object({
  markets: Type.Array(Type.Composite([Type.Pick(MarketRow, ['symbol']), Type.Partial(MarketRow)]), {
    description: 'The fields of each market that changed since the last message.',
  }),
})

const Levels = Type.Array(Type.Tuple([text, text]), {
  description: 'Price and quantity as text; a quantity of "0" removes the level.',
})

const BookChange = Type.Object({ asks: Levels, bids: Levels, ts: Type.Integer() })

const StatusAnswer = Type.Object({ status: Type.Integer(), msg: text })

const AccountRows = Type.Object({ rows: Type.Array(Type.Record(text, Type.Unknown())) })

const Reads = Type.Object({
  reads: Type.Array(text, { description: 'The relayed reads that tell the state from here on.' }),
})

/** Every live topic: its parameters, how it publishes its state, and how often. */
// biome-ignore format: one topic a row
export const STREAMS = {
  tickers: { parameters: [], kind: 'replaced', intervalMs: 1000, summary: 'Every active market.', reads: ['GET /api/prep/markets'], whole: MarketsAnswer },
  'tickers.changes': { parameters: [], kind: 'fields', intervalMs: 8000, summary: 'Every active market: prices as they change, other fields every two minutes.', reads: ['GET /api/prep/markets'], whole: MarketsAnswer, change: MarketChanges },
  ticker: { parameters: ['symbol'], kind: 'replaced', intervalMs: 1000, summary: 'One market.', reads: ['GET /api/prep/markets'], whole: MarketRow },
  marks: { parameters: [], kind: 'replaced', intervalMs: 1000, summary: 'Mark prices of every active market.', reads: ['GET /api/prep/markets'], whole: Type.Object({ markets: Type.Array(MarkRow) }) },
  mark: { parameters: ['symbol'], kind: 'replaced', intervalMs: 1000, summary: 'The mark price of one market.', reads: ['GET /api/prep/markets'], whole: MarkRow },
  orderbook: { parameters: ['symbol'], kind: 'book', intervalMs: 200, summary: 'The order book of one market, 100 levels a side.', reads: ['GET /api/prep/orderbook'], whole: OrderbookAnswer, change: BookChange },
  trades: { parameters: ['symbol'], kind: 'events', intervalMs: 200, summary: 'Latest public trades of one market, newest first.', reads: ['GET /api/prep/trades'], whole: TradesAnswer, change: TradesAnswer },
  liquidations: { parameters: [], kind: 'events', intervalMs: 200, summary: 'Liquidations on the whole exchange, newest first.', reads: ['GET /api/prep/liquidations'], whole: LiquidationsAnswer, change: LiquidationsAnswer },
  candles: { parameters: ['symbol', 'interval'], kind: 'rows', intervalMs: 1000, summary: 'Candles of one market, oldest first.', reads: ['GET /api/prep/candles'], whole: CandlesAnswer, change: CandlesAnswer },
  funding: { parameters: ['symbol'], kind: 'replaced', intervalMs: 15_000, summary: 'Funding of one market.', reads: ['GET /api/prep/funding'], whole: FundingAnswer },
  status: { parameters: [], kind: 'replaced', intervalMs: 15_000, summary: 'Whether the venue works.', reads: ['GET /api/prep/op/platform.status'], whole: StatusAnswer },
  orders: { parameters: [], kind: 'account', intervalMs: 0, summary: 'Orders of the account, as they change.', reads: ['GET /v1/orders'], whole: Reads, change: AccountRows },
  fills: { parameters: [], kind: 'account', intervalMs: 0, summary: 'Executions of the account.', reads: ['GET /v1/trades'], whole: Reads, change: AccountRows },
  positions: { parameters: [], kind: 'account', intervalMs: 0, summary: 'Positions of the account, as they change: one row per market and margin mode.', reads: ['GET /v1/positions'], whole: Reads, change: AccountRows },
  balances: { parameters: [], kind: 'account', intervalMs: 0, summary: 'Balances of the account, as they change.', reads: ['GET /v1/client/holding'], whole: Reads, change: AccountRows },
} as const satisfies Record<string, StreamRow>

export type StreamName = keyof typeof STREAMS

/** Why a topic restarts while its venue is connected: a message was lost or malformed, or handling it failed unexpectedly. */
export const RESET_CAUSES = ['gap', 'malformed', 'unexpected'] as const

export type ResetCause = (typeof RESET_CAUSES)[number]

/** Whether a text is the name of a stream. */
export function isStreamName(name: string): name is StreamName {
  return Object.hasOwn(STREAMS, name)
}

/** A topic's template for the documentation: `candles:{symbol}:{interval}`. */
export function topicTemplate(name: StreamName): string {
  return [name, ...STREAMS[name].parameters.map((parameter) => `{${parameter}}`)].join(':')
}
