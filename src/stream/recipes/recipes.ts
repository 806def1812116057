import type { StreamName } from '../../spec/stream/topics.ts'
import type { Recipe, RecipeParts } from '../recipe.ts'
import type { TopicName } from '../topic-name.ts'
import { bookRecipe } from './book.ts'
import { candlesRecipe } from './candles.ts'
import { liquidationsRecipe, tradesRecipe } from './events.ts'
import { fundingRecipe, statusRecipe } from './facts.ts'
import { markRecipe, marksRecipe, tickerRecipe, tickersRecipe } from './markets.ts'

type Cook = (parts: RecipeParts, topic: TopicName) => Recipe

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
export function recipeOf(parts: RecipeParts, topic: TopicName): Recipe {
  const cook = COOKS[topic.name]
  if (!cook) throw new RangeError('no public topic')
  return cook(parts, topic)
}
