import type { Book } from './feed.ts'
import type { MarketFeed } from './seeded-feed.ts'
import type { Traders } from './traders.ts'

/** What the public rows are made of. `book` is the seeded book merged with the users' orders. */
export type MarketDeps = {
  readonly feed: MarketFeed
  readonly traders: Traders
  readonly book: (symbol: string, nowMs: number) => Book
}
