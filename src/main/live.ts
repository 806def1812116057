import { type ClusterFeed, clusterFeed } from '../cluster/live/cluster.ts'
import type { Feed, FeedMessage } from '../core/feed.ts'
import { detached, reportUnexpected } from '../core/loop/guarded.ts'
import type { World } from '../core/ports.ts'
import type { Settings } from '../core/settings/settings.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { executionsIn } from '../gateway/webhook/executions.ts'
import type { OpenStream } from '../http/stream.ts'
import { type LiveStream, openStream } from '../live/stream.ts'
import { MalformedMessage } from '../upstream/wire/live-messages.ts'
import type { OpenStore } from './store.ts'
import type { OpenVenue } from './venue-port.ts'

type LiveOptions = Pick<World, 'monotonicMs'> & {
  readonly gateway: Gateway
  readonly venue: OpenVenue
  readonly shared: OpenStore['shared']
}

/** Live data, which the first subscriber opens. */
export function createLazyStream(
  { streamClients }: Settings,
  { gateway, venue, ...parts }: LiveOptions,
) {
  const { openFeed, embedded } = venue
  let opened: { readonly stream: LiveStream; readonly feed: Feed } | null = null
  let cluster: ClusterFeed | null = null
  const open: OpenStream = async (publish) => {
    if (!openFeed) throw new RangeError('no live data')
    const own = await openFeed()
    cluster = sharedFeed(own, venue, parts)
    const feed = cluster ?? own
    // With an embedded venue, a poll finds the executions of all accounts, so nothing is published here.
    const isPublished = gateway.events.isOn && !embedded
    const received = isPublished ? publishExecutions(gateway) : () => undefined
    const stream = await openStream({
      deps: gateway,
      feed,
      clientsMax: streamClients,
      publish,
      received,
    })
    opened = { stream, feed }
    return stream
  }
  return {
    open: openFeed && open,
    size: () => opened?.stream.size() ?? null,
    role: () => cluster?.role() ?? null,
    // Null if each process reads the feed separately, as in `sharedFeed`.
    leader: openFeed && venue.kind === 'live' ? (parts.shared?.feedBus.leader ?? null) : null,
    lastSeen: (sinceMs: number) => opened?.stream.lastSeen(sinceMs) ?? [],
    close: async () => {
      opened?.stream.close()
      opened?.feed.close()
    },
  }
}

/** Publishes an account's executions while its live connection is open. */
function publishExecutions({ events }: Gateway) {
  return (accountId: string, message: FeedMessage): void => {
    try {
      for (const one of executionsIn(accountId, message)) detached('gateway', events.publish(one))
    } catch (error) {
      reportUnexpected('gateway', error, MalformedMessage)
    }
  }
}

/**
 * The public feed that one instance reads for all. Null for a single instance, and for an embedded venue, which each
 * process has.
 */
function sharedFeed(
  own: Feed,
  { kind }: OpenVenue,
  { shared, monotonicMs }: Omit<LiveOptions, 'gateway' | 'venue'>,
) {
  return shared && kind === 'live' ? clusterFeed({ own, bus: shared.feedBus, monotonicMs }) : null
}
