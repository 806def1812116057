import { STREAM_LIMITS } from '../contract/stream/limits.ts'
import { STREAMS } from '../contract/stream/topics.ts'
import { Failure } from '../core/failure.ts'
import { admitRead, type ReadWindows } from '../gateway/limits/admission.ts'
import { type CallerConnection, isSubscribed } from './connection.ts'
import type { Hub } from './hub.ts'
import { createMirror, type FaultsByTopic } from './mirror.ts'
import type { ProjectionSources } from './projections/projection.ts'
import {
  createProjection,
  isPrivate,
  parseTopic,
  type TopicName,
} from './projections/projections.ts'
import type { ListedMarkets } from './reads.ts'
import { createTopic, type HeldTopic, type Since } from './topic.ts'

/**
 * Subscribes a connection to topics, each from its position. Every topic is charged to the address. For an unavailable
 * topic the connection gets an error; all other topics are subscribed.
 */
export type Subscribe = (
  connection: CallerConnection,
  topics: readonly string[],
  sinceOf: (topic: string) => Since,
) => void

type SubscribeOptions = {
  readonly limiter: ReadWindows
  readonly hub: Hub
  readonly sources: Omit<ProjectionSources, 'dropped'>
  readonly listing: ListedMarkets
  readonly faults: FaultsByTopic
}

export function createSubscribe({
  limiter,
  hub,
  sources,
  listing,
  faults: faultsOf,
}: SubscribeOptions): Subscribe {
  function subscribeOne(connection: CallerConnection, text: string, since: Since): void {
    const topic = parseKnownTopic(text, listing)
    if (isSubscribed(connection, text)) return
    if (connection.subscriptions.topics.length >= STREAM_LIMITS.topicsPerConnection) {
      throw new Failure('rate_limited', {
        limit: 'topics',
        max: STREAM_LIMITS.topicsPerConnection,
      })
    }
    admitRead(limiter, connection.limitKey)
    hub.join(
      connection,
      isPrivate(topic) ? heldAccountTopic(connection, topic) : held(topic),
      since,
    )
  }

  function held(topic: TopicName): HeldTopic {
    const { intervalMs, kind } = STREAMS[topic.name]
    return {
      topic: topic.text,
      group: topic.text,
      intervalMs,
      // For `fields`, an early publication per new subscriber would go to all subscribers.
      isEarly: kind !== 'fields',
      open: (parts) => {
        const faults = faultsOf(topic.name)
        const projection = createProjection({ ...sources, dropped: faults.dropped }, topic)
        const source = createMirror({ ...sources, projection: projection, faults })
        const { text } = topic
        return createTopic(parts, { name: text, group: text, source, audience: 'public' })
      },
    }
  }

  return (connection, topics, sinceOf) => {
    for (const text of topics) {
      try {
        subscribeOne(connection, text, sinceOf(text))
      } catch (error) {
        const { code, meta } = errorFields(error)
        hub.notify(connection, 'error', { code, topic: text, ...(meta && { meta }) })
      }
    }
  }
}

/** The fields of a failure's message. Any other error is unexpected and gives only `internal`. */
export function errorFields(error: unknown) {
  const { code, meta } = error instanceof Failure ? error : new Failure('internal')
  return { code, ...(meta && { meta }) }
}

function heldAccountTopic({ account }: CallerConnection, { name }: TopicName): HeldTopic {
  if (!account) throw new Failure('unauthorized', { next: 'Send auth first.' })
  return account.held(name)
}

/** Parses a topic. Throws Failure not_found for an unknown topic or market. */
function parseKnownTopic(text: string, listing: ListedMarkets): TopicName {
  const topic = parseTopic(text)
  if (!topic) throw new Failure('not_found', { parameter: 'topics', reason: 'unknown_topic' })
  if (topic.symbol !== '' && !listing.has(topic.symbol)) {
    throw new Failure('not_found', { parameter: 'symbol', reason: 'unknown_market' })
  }
  return topic
}
