import type { Row } from '../../core/json.ts'
import { quoteVolume } from '../../gateway/market/markets.ts'
import { changePercent } from '../../gateway/market/rows.ts'
import { LIVE_TOPICS, marketPatches } from '../../upstream/wire/live.ts'
import {
  type Publication,
  publishChanges,
  publishWhole,
  sameValue,
  selectedFields,
} from './market-publication.ts'
import type { Projection, ProjectionSources } from './projection.ts'

const REFRESH_MS = 30_000

/** Fields that messages update. A read may be older than the messages, so it leaves these fields unchanged. */
const LIVE_FIELDS_ALL = [
  '24h_open',
  '24h_close',
  '24h_high',
  '24h_low',
  '24h_volume',
  '24h_amount',
  'mark_price',
  'index_price',
] as const

const LIVE_FIELDS_ONE = [...LIVE_FIELDS_ALL, 'open_interest', 'est_funding_rate'] as const

type View = {
  readonly topics: readonly string[]
  readonly live: readonly string[]
  readonly symbol?: string
  readonly publication: Publication
}

/** Every active market in the order and with the fields of `GET /api/prep/markets`. */
export function tickersProjection(parts: ProjectionSources): Projection {
  return marketsProjection(parts, {
    topics: [LIVE_TOPICS.tickers, LIVE_TOPICS.marks, LIVE_TOPICS.indexes],
    live: LIVE_FIELDS_ALL,
    publication: publishWhole(marketsByAmount),
  })
}

/** Every active market, published as changed fields. */
export function tickersChangesProjection(parts: ProjectionSources): Projection {
  return marketsProjection(parts, {
    topics: [LIVE_TOPICS.tickers, LIVE_TOPICS.marks, LIVE_TOPICS.indexes],
    live: LIVE_FIELDS_ALL,
    publication: publishChanges(parts.clock, marketsByAmount),
  })
}

function marketsByAmount(rows: ReadonlyMap<string, Row>) {
  return { markets: [...rows.values()].toSorted((a, b) => quoteVolume(b) - quoteVolume(a)) }
}

/** One market. */
export function tickerProjection(parts: ProjectionSources, symbol: string): Projection {
  return marketsProjection(parts, {
    topics: [
      LIVE_TOPICS.ticker(symbol),
      LIVE_TOPICS.mark(symbol),
      LIVE_TOPICS.index(symbol),
      LIVE_TOPICS.openInterest(symbol),
      LIVE_TOPICS.funding(symbol),
    ],
    live: LIVE_FIELDS_ONE,
    symbol,
    publication: publishWhole((rows) => rows.get(symbol)),
  })
}

/** Mark prices of every active market. */
export function marksProjection(parts: ProjectionSources): Projection {
  return marketsProjection(parts, {
    topics: [LIVE_TOPICS.marks],
    live: ['mark_price'],
    publication: publishWhole((rows) => ({ markets: [...rows.values()].map(markRow) })),
  })
}

/** The mark price of one market. */
export function markProjection(parts: ProjectionSources, symbol: string): Projection {
  return marketsProjection(parts, {
    topics: [LIVE_TOPICS.mark(symbol)],
    live: ['mark_price'],
    symbol,
    publication: publishWhole((rows) => {
      const row = rows.get(symbol)
      return row && markRow(row)
    }),
  })
}

function markRow({ symbol, mark_price }: Row): Row {
  return { symbol, mark_price }
}

// Reads give the set of markets and the fields that no message has; messages only change existing rows.
function marketsProjection(
  { reads, dropped }: ProjectionSources,
  { topics, live, symbol, publication }: View,
): Projection {
  let rows = new Map<string, Row>()
  let isChanged = false

  async function read(): Promise<Map<string, Row>> {
    const all = (await reads.markets()).map((row) => [String(row['symbol']), row] as const)
    return new Map(symbol === undefined ? all : all.filter(([name]) => name === symbol))
  }

  async function refresh(): Promise<void> {
    const fresh = await read()
    for (const [name, row] of fresh) {
      const known = rows.get(name)
      if (known) fresh.set(name, withDayChange({ ...row, ...selectedFields(known, live) }))
    }
    rows = fresh
    isChanged = true
  }

  function patch({ symbol: name, ...fields }: Row): void {
    const row = rows.get(String(name))
    if (!row || Object.entries(fields).every(([key, value]) => sameValue(row[key], value))) return
    rows.set(String(name), withDayChange({ ...row, ...fields }))
    isChanged = true
  }

  return {
    topics,
    load: async () => {
      rows = await read()
      publication.begin(rows)
      isChanged = false
    },
    apply: ({ topic, data }) => {
      for (const fields of marketPatches(topic, data, dropped)) patch(fields)
      return true
    },
    snapshot: publication.snapshot,
    drainDelta: () => {
      const change = publication.drain(rows, isChanged)
      isChanged = false
      return change
    },
    refresh: { everyMs: REFRESH_MS, run: refresh },
  }
}

function withDayChange(row: Row): Row {
  return { ...row, change24hPct: changePercent(row['24h_open'], row['24h_close']) }
}
