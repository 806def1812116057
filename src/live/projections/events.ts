import { STREAM_LIMITS } from '../../contract/stream/limits.ts'
import type { FeedMessage } from '../../core/feed.ts'
import { type Row, toFloat } from '../../core/json.ts'
import { LIVE_TOPICS, liquidationRows, tradeRow } from '../../upstream/wire/live.ts'
import type { Projection, ProjectionSources } from './projection.ts'

/** The public trades of one market. */
export function tradesProjection({ reads }: ProjectionSources, symbol: string): Projection {
  let readUpToMs = 0
  let readLast = new Map<string, number>()

  /**
   * Whether the read returned this trade. The trade has the latest timestamp of the read. Each trade of the read
   * matches only once.
   */
  function isRead(row: Row): boolean {
    const key = tradeKey(row)
    const left = readLast.get(key) ?? 0
    readLast.set(key, left - 1)
    return left > 0
  }

  return eventsProjection({
    topic: LIVE_TOPICS.trade(symbol),
    member: 'trades',
    read: async (count) => {
      const rows = await reads.trades(symbol, count)
      readUpToMs = executedAtMs(rows[0])
      readLast = keyCounts(rows.filter((row) => executedAtMs(row) === readUpToMs).map(tradeKey))
      return rows
    },
    // Skips trades that are already in the read's result. The result may have only some trades of its last millisecond.
    rowsOf: ({ data, atMs }, isBuffered) => {
      const row = tradeRow(data, atMs)
      if (row['symbol'] !== symbol) return []
      if (!isBuffered || atMs > readUpToMs) return [row]
      return atMs < readUpToMs || isRead(row) ? [] : [row]
    },
  })
}

function executedAtMs(row: Row | undefined): number {
  return toFloat(row?.['executed_timestamp']) ?? 0
}

/**
 * The key of a trade. The read and the published form of a trade have the same key, even if their numbers are written
 * differently.
 */
function tradeKey({ side, executed_price, executed_quantity }: Row): string {
  return [side, Number(executed_price), Number(executed_quantity)].join(' ')
}

function keyCounts(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

/** Liquidations on the whole exchange. */
export function liquidationsProjection({ reads, dropped }: ProjectionSources): Projection {
  let seen = new Set<string>()
  return eventsProjection({
    topic: LIVE_TOPICS.liquidations,
    member: 'rows',
    read: async (count) => {
      const rows = await reads.liquidations(count)
      seen = new Set(rows.map(liquidationId))
      return rows
    },
    rowsOf: ({ data }) => {
      const rows = liquidationRows(data, dropped).filter((row) => !seen.has(liquidationId(row)))
      for (const row of rows) seen.add(liquidationId(row))
      for (const oldest of seen) {
        if (seen.size <= SEEN_MAX) break
        seen.delete(oldest)
      }
      return rows
    },
  })
}

const SEEN_MAX = 1000

function liquidationId(row: Row): string {
  return String(row['liquidation_id'])
}

type Events = {
  readonly topic: string
  /** The name of the rows in the read's answer. */
  readonly member: string
  readonly read: (count: number) => Promise<readonly Row[]>
  /** The rows of a message in chronological order. */
  readonly rowsOf: (message: FeedMessage, isBuffered: boolean) => readonly Row[]
}

/** A topic that begins with the latest events, newest first, and then publishes new events. */
function eventsProjection({ topic, member, read, rowsOf }: Events): Projection {
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
    snapshot: () => ({ [member]: rows }),
    drainDelta: () => {
      isTaken = true
      if (fresh.length === 0) return undefined
      const data = { [member]: fresh }
      rows = [...fresh, ...rows].slice(0, STREAM_LIMITS.eventRows)
      fresh = []
      return { type: 'event', data }
    },
  }
}
