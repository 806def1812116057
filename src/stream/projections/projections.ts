import type { StreamName } from '../../spec/stream/topics.ts'
import { bookProjection } from './book.ts'
import { candlesProjection } from './candles.ts'
import { liquidationsProjection, tradesProjection } from './events.ts'
import { fundingProjection, statusProjection } from './facts.ts'
import { markProjection, marksProjection, tickerProjection, tickersProjection } from './markets.ts'
import type { Projection, ProjectionParts } from './projection.ts'
import type { TopicName } from './topic-name.ts'

type Cook = (parts: ProjectionParts, topic: TopicName) => Projection

const COOKS: Partial<Record<StreamName, Cook>> = {
  tickers: tickersProjection,
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

/** How a public topic is kept. Throws RangeError for one of an account. */
export function projectionOf(parts: ProjectionParts, topic: TopicName): Projection {
  const cook = COOKS[topic.name]
  if (!cook) throw new RangeError('no public topic')
  return cook(parts, topic)
}
