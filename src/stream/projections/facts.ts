import { LIVE_TOPICS, marketPatches, statusFields } from '../../wire/live.ts'
import type { Projection, ProjectionParts, Row } from './projection.ts'

const REFRESH_MS = 15_000

/** Funding of one market: the estimate as it is told, the rest as it is read. */
export function fundingRecipe({ reads, dropped }: ProjectionParts, symbol: string): Projection {
  return factsRecipe({
    topics: [LIVE_TOPICS.funding(symbol)],
    read: () => reads.funding(symbol),
    told: (topic, data) =>
      marketPatches(topic, data, dropped).find((fields) => fields['symbol'] === symbol) ?? {},
  })
}

/** Whether the venue works. */
export function statusRecipe({ reads }: ProjectionParts): Projection {
  return factsRecipe({
    topics: [LIVE_TOPICS.status],
    read: reads.status,
    told: (_topic, data) => statusFields(data),
  })
}

type Facts = {
  readonly topics: readonly string[]
  readonly read: () => Promise<Row>
  /** The fields that a message changes. */
  readonly told: (topic: string, data: unknown) => Row
}

/** One object that replaces itself when something in it changed. A message never adds a field. */
function factsRecipe({ topics, read, told }: Facts): Projection {
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
      merge(told(topic, data))
      return true
    },
    whole: () => taken,
    take: () => {
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
