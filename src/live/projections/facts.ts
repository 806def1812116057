import type { Row } from '../../core/json.ts'
import { LIVE_TOPICS, marketPatches, statusFields } from '../../upstream/wire/live.ts'
import type { Projection, ProjectionSources } from './projection.ts'

const REFRESH_MS = 15_000

/** Funding of one market: the estimate comes from messages, the rest from reads. */
export function fundingProjection(
  { reads, dropped }: ProjectionSources,
  symbol: string,
): Projection {
  return factsProjection({
    topics: [LIVE_TOPICS.funding(symbol)],
    read: () => reads.funding(symbol),
    changed: (topic, data) =>
      marketPatches(topic, data, dropped).find((fields) => fields['symbol'] === symbol) ?? {},
  })
}

/** Whether the venue works. */
export function statusProjection({ reads }: ProjectionSources): Projection {
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
