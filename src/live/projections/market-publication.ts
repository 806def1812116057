import { MINUTE_MS } from '../../contract/durations.ts'
import type { Row } from '../../core/json.ts'
import type { Clock } from '../../core/ports.ts'
import type { TopicChange } from './projection.ts'

type Rows = ReadonlyMap<string, Row>

/** Publication of market rows: whole, or as changed fields. */
export type Publication = {
  /** Starts from these rows. */
  readonly begin: (rows: Rows) => void
  /** The current state, equal to the published messages applied in order. */
  readonly snapshot: () => unknown
  /** The next message; undefined without a change. `isChanged`: a row changed since the last call. */
  readonly drain: (rows: Rows, isChanged: boolean) => TopicChange | undefined
}

/** Publishes the whole state whenever a row changed. */
export function publishWhole(whole: (rows: Rows) => unknown): Publication {
  let published: unknown
  return {
    begin: (rows) => {
      published = whole(rows)
    },
    snapshot: () => published,
    drain: (rows, isChanged) => {
      if (!isChanged) return undefined
      published = whole(rows)
      return published === undefined ? undefined : { type: 'snapshot', data: published }
    },
  }
}

/** Fields that change with every trade but are not needed every second. */
const SLOW_FIELDS: ReadonlySet<string> = new Set([
  '24h_open',
  '24h_high',
  '24h_low',
  '24h_volume',
  '24h_amount',
  'open_interest',
  'sum_unitary_funding',
])

/** Publication interval of the slow fields. */
const ROUND_MS = 2 * MINUTE_MS

/**
 * Publishes changed fields of rows: slow fields every two minutes, other fields each time. Publishes the whole state
 * when the set of markets has changed.
 */
export function publishChanges(
  clock: Clock,
  whole: (rows: Rows) => { readonly markets: readonly Row[] },
): Publication {
  let published = new Map<string, Row>()
  let roundAtMs = 0

  function begin(rows: Rows): void {
    published = new Map(rows)
    roundAtMs = clock.nowMs()
  }

  function changes(rows: Rows, isRound: boolean): readonly Row[] {
    return [...rows.values()].flatMap((row) => {
      const before = published.get(String(row['symbol'])) ?? {}
      const fields = Object.keys(row).filter(
        (field) => (isRound || !SLOW_FIELDS.has(field)) && !sameValue(row[field], before[field]),
      )
      return fields.length === 0 ? [] : [selectedFields(row, ['symbol', ...fields])]
    })
  }

  return {
    begin,
    snapshot: () => whole(published),
    drain: (rows) => {
      if (rows.size !== published.size || ![...rows.keys()].every((name) => published.has(name))) {
        begin(rows)
        return { type: 'snapshot', data: whole(rows) }
      }
      const isRound = Math.abs(clock.nowMs() - roundAtMs) >= ROUND_MS
      if (isRound) roundAtMs = clock.nowMs()
      const markets = changes(rows, isRound)
      for (const row of markets) {
        const name = String(row['symbol'])
        published.set(name, { ...published.get(name), ...row })
      }
      return markets.length === 0 ? undefined : { type: 'delta', data: { markets } }
    },
  }
}

/** The given fields of a row. */
export function selectedFields(row: Row, fields: readonly string[]): Row {
  return Object.fromEntries(fields.map((field) => [field, row[field]]))
}

/** Whether two values of a field are the same, as text. */
export function sameValue(one: unknown, other: unknown): boolean {
  return String(one) === String(other)
}
