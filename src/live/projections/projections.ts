import { INTERVALS, type Interval } from '../../contract/durations.ts'
import { SYMBOL_PATTERN } from '../../contract/market/symbols.ts'
import { isStreamName, STREAMS, type StreamName } from '../../contract/stream/topics.ts'
import type { Row } from '../../core/json.ts'
import { LIVE_TOPICS, marketPatches, statusFields } from '../../upstream/wire/live.ts'
import { bookProjection } from './book.ts'
import { candlesProjection } from './candles.ts'
import { liquidationsProjection, tradesProjection } from './events.ts'
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

/** A parsed topic name. `symbol` is '' for a topic without a symbol. */
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

const REFRESH_MS = 15_000

/** Funding of one market: the estimate comes from messages, the rest from reads. */
function fundingProjection({ reads, dropped }: ProjectionSources, symbol: string): Projection {
  return factsProjection({
    topics: [LIVE_TOPICS.funding(symbol)],
    read: () => reads.funding(symbol),
    changed: (topic, data) =>
      marketPatches(topic, data, dropped).find((fields) => fields['symbol'] === symbol) ?? {},
  })
}

/** Whether the venue works. */
function statusProjection({ reads }: ProjectionSources): Projection {
  return factsProjection({
    topics: [LIVE_TOPICS.status],
    read: reads.status,
    changed: (_topic, data) => statusFields(data),
  })
}

type Facts = {
  readonly topics: readonly string[]
  readonly read: () => Promise<Row>
  /** The fields that a message changes. */
  readonly changed: (topic: string, data: unknown) => Row
}

/** A topic of one object, which is published whole after a field has changed. Messages change only existing fields. */
function factsProjection({ topics, read, changed }: Facts): Projection {
  let facts: Row = {}
  let taken: Row | undefined

  function merge(fields: Row): void {
    const known = Object.entries(fields).filter(([key]) => Object.hasOwn(facts, key))
    facts = { ...facts, ...Object.fromEntries(known) }
  }

  return {
    topics,
    load: async () => {
      facts = await read()
      taken = facts
    },
    apply: ({ topic, data }) => {
      merge(changed(topic, data))
      return true
    },
    snapshot: () => taken,
    drainDelta: () => {
      if (JSON.stringify(facts) === JSON.stringify(taken)) return undefined
      taken = facts
      return { type: 'snapshot', data: facts }
    },
    refresh: {
      everyMs: REFRESH_MS,
      run: async () => {
        facts = await read()
      },
    },
  }
}
