import type { EntityStore } from '../../core/ports.ts'
import type { Tick } from '../market/feed.ts'
import { rest } from '../matching/book.ts'
import { createJournal } from './journal.ts'
import { loadEntities } from './restore.ts'
import { type Exchange, opposite, type TradableFeed, type Trade } from './state.ts'

/** The first number is one above this; smaller numbers are left for what is seeded. */
const SEQUENCE_START = 1_000_000

/** The exchange as its entities left it; an empty store is an exchange that opens at `nowMs`. */
export function openExchange(feed: TradableFeed, entities: EntityStore, nowMs: number): Exchange {
  const initial = { sequence: SEQUENCE_START, advancedAtMs: nowMs }
  const { accounts, nonces, consumed, counters } = loadEntities(entities, initial)
  const exchange: Exchange = {
    feed,
    journal: createJournal(entities, counters),
    counters,
    accounts,
    nonces,
    books: new Map(),
    consumed,
  }
  for (const { open } of accounts.values()) for (const order of open.values()) rest(exchange, order)
  retell(exchange)
  return exchange
}

/** Tells the feed the executions of earlier runs, so that tape and candles continue where they were. */
function retell({ feed, accounts }: Exchange): void {
  const matches = new Map<number, Trade>()
  for (const { trades } of accounts.values())
    for (const trade of trades)
      if (!trade.isMaker || !matches.has(trade.matchId)) matches.set(trade.matchId, trade)
  const trades = [...matches.values()].sort((a, b) => a.matchId - b.matchId)
  for (const trade of trades)
    if (feed.instruments.has(trade.symbol)) feed.record(trade.symbol, tickOf(trade))
}

/** The tape tells the taker's side. */
function tickOf({ atMs, side, isMaker, price, quantity }: Trade): Tick {
  return { atMs, side: isMaker ? opposite(side) : side, price, quantity }
}
