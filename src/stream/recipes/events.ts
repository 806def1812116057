import type { FeedMessage } from '../../core/feed.ts'
import { numberOf } from '../../core/json.ts'
import { STREAM_LIMITS } from '../../spec/stream/limits.ts'
import { LIVE_TOPICS, requestRows, tradeRow } from '../../wire/live.ts'
import type { Recipe, RecipeParts, Row } from '../recipe.ts'

/** The tape of one market. */
export function tradesRecipe({ reads }: RecipeParts, symbol: string): Recipe {
  let readUpToMs = 0
  return eventsRecipe({
    topic: LIVE_TOPICS.trade(symbol),
    member: 'trades',
    read: async (count) => {
      const rows = await reads.trades(symbol, count)
      readUpToMs = numberOf(rows[0]?.['executed_timestamp']) ?? 0
      return rows
    },
    // What was heard while the tape was being read may be on it already.
    rowsOf: ({ data, atMs }, isBuffered) => {
      const row = tradeRow(data, atMs)
      if (row?.['symbol'] !== symbol) return []
      return isBuffered && atMs <= readUpToMs ? [] : [row]
    },
  })
}

/** Liquidations on the whole exchange. */
export function liquidationsRecipe({ reads }: RecipeParts): Recipe {
  let seen = new Set<string>()
  return eventsRecipe({
    topic: LIVE_TOPICS.liquidations,
    member: 'rows',
    read: async (count) => {
      const rows = await reads.liquidations(count)
      seen = new Set(rows.map(idOf))
      return rows
    },
    rowsOf: ({ data }) => {
      const rows = requestRows(data).filter((row) => !seen.has(idOf(row)))
      for (const row of rows) seen.add(idOf(row))
      for (const oldest of seen) {
        if (seen.size <= SEEN_MAX) break
        seen.delete(oldest)
      }
      return rows
    },
  })
}

const SEEN_MAX = 1000

function idOf(row: Row): string {
  return String(row['liquidation_id'])
}

type Events = {
  readonly topic: string
  /** What the rows are called where they are read. */
  readonly member: string
  readonly read: (count: number) => Promise<readonly Row[]>
  /** The rows of a message, in the order they happened. */
  readonly rowsOf: (message: FeedMessage, isBuffered: boolean) => readonly Row[]
}

/** What happened last, newest first, and what happens. */
function eventsRecipe({ topic, member, read, rowsOf }: Events): Recipe {
  let rows: readonly Row[] = []
  let fresh: Row[] = []
  let isTaken = false

  return {
    topics: [topic],
    load: async () => {
      fresh = []
      isTaken = false
      rows = (await read(STREAM_LIMITS.eventRows)).slice(0, STREAM_LIMITS.eventRows)
    },
    apply: (message) => {
      fresh.unshift(...rowsOf(message, !isTaken).toReversed())
      return true
    },
    whole: () => ({ [member]: rows }),
    take: () => {
      isTaken = true
      if (fresh.length === 0) return undefined
      const data = { [member]: fresh }
      rows = [...fresh, ...rows].slice(0, STREAM_LIMITS.eventRows)
      fresh = []
      return { type: 'event', data }
    },
  }
}
