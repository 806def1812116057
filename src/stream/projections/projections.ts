import type { StreamName } from '../../spec/stream/topics.ts'
import { bookRecipe } from './book.ts'
import { candlesRecipe } from './candles.ts'
import { liquidationsRecipe, tradesRecipe } from './events.ts'
import { fundingRecipe, statusRecipe } from './facts.ts'
import { markRecipe, marksRecipe, tickerRecipe, tickersRecipe } from './markets.ts'
import type { Projection, ProjectionParts } from './projection.ts'
import type { TopicName } from './topic-name.ts'

type Cook = (parts: ProjectionParts, topic: TopicName) => Projection

const COOKS: Partial<Record<StreamName, Cook>> = {
  tickers: tickersRecipe,
  ticker: (parts, { symbol }) => tickerRecipe(parts, symbol),
  marks: marksRecipe,
  mark: (parts, { symbol }) => markRecipe(parts, symbol),
  orderbook: (parts, { symbol }) => bookRecipe(parts, symbol),
  trades: (parts, { symbol }) => tradesRecipe(parts, symbol),
  liquidations: liquidationsRecipe,
  candles: (parts, { symbol, interval }) => candlesRecipe(parts, symbol, interval),
  funding: (parts, { symbol }) => fundingRecipe(parts, symbol),
  status: statusRecipe,
}

/** How a public topic is kept. Throws RangeError for one of an account. */
export function projectionOf(parts: ProjectionParts, topic: TopicName): Projection {
  const cook = COOKS[topic.name]
  if (!cook) throw new RangeError('no public topic')
  return cook(parts, topic)
}
