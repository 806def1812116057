import { INTERVALS, type Interval } from '../../contract/durations.ts'
import { SYMBOL_PATTERN } from '../../contract/market/symbols.ts'
import { isStreamName, STREAMS, type StreamName } from '../../contract/stream/topics.ts'
import { bookProjection } from './book.ts'
import { candlesProjection } from './candles.ts'
import { liquidationsProjection, tradesProjection } from './events.ts'
import { fundingProjection, statusProjection } from './facts.ts'
import {
  markProjection,
  marksProjection,
  tickerProjection,
  tickersChangesProjection,
  tickersProjection,
} from './markets.ts'
import type { Projection, ProjectionSources } from './projection.ts'

type CreateProjection = (parts: ProjectionSources, topic: TopicName) => Projection

const PROJECTIONS: Partial<Record<StreamName, CreateProjection>> = {
  tickers: tickersProjection,
  'tickers.changes': tickersChangesProjection,
  ticker: (parts, { symbol }) => tickerProjection(parts, symbol),
  marks: marksProjection,
  mark: (parts, { symbol }) => markProjection(parts, symbol),
  orderbook: (parts, { symbol }) => bookProjection(parts, symbol),
  trades: (parts, { symbol }) => tradesProjection(parts, symbol),
  liquidations: liquidationsProjection,
  candles: (parts, { symbol, interval }) => candlesProjection(parts, symbol, interval),
  funding: (parts, { symbol }) => fundingProjection(parts, symbol),
  status: statusProjection,
}

/** The projection of a public topic. Throws RangeError for an account's topic. */
export function createProjection(parts: ProjectionSources, topic: TopicName): Projection {
  const create = PROJECTIONS[topic.name]
  if (!create) throw new RangeError('no public topic')
  return create(parts, topic)
}

/** A parsed topic name. `symbol` is '' for a topic without one. */
export type TopicName = {
  readonly text: string
  readonly name: StreamName
  readonly symbol: string
  readonly interval: Interval
}

/**
 * Parses `name`, `name:SYMBOL` or `name:SYMBOL:INTERVAL`; null for an invalid topic. The existence of the market is not
 * checked.
 */
export function parseTopic(text: string): TopicName | null {
  const [name = '', ...values] = text.split(':')
  if (!isStreamName(name)) return null
  const { parameters } = STREAMS[name]
  if (values.length !== parameters.length) return null
  const [symbol = '', intervalText = '1h'] = values
  const interval = INTERVALS.find((known) => known === intervalText)
  if (!interval || (parameters.length > 0 && !SYMBOL_PATTERN.test(symbol))) return null
  return { text, name, symbol, interval }
}

/** Whether a topic belongs to an account, and so requires a proof. */
export function isPrivate({ name }: TopicName): boolean {
  return STREAMS[name].kind === 'account'
}
