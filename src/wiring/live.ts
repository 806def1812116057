import type { Feed } from '../core/feed.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { OpenStream } from '../routes/stream.ts'
import type { Settings } from '../settings/settings.ts'
import { openStream, type Stream } from '../stream/stream.ts'
import type { OpenVenue } from './venue-port.ts'

/** Live data, which is opened by its first subscriber. */
export function streamOf({ streamClients }: Settings, gateway: Gateway, { openFeed }: OpenVenue) {
  let opened: { readonly stream: Stream; readonly feed: Feed } | null = null
  const open: OpenStream = async (publish) => {
    if (!openFeed) throw new RangeError('no live data')
    const feed = await openFeed()
    const stream = await openStream({ deps: gateway, feed, clientsMax: streamClients, publish })
    opened = { stream, feed }
    return stream
  }
  return {
    open: openFeed && open,
    size: () => opened?.stream.size() ?? null,
    lastSeen: (sinceMs: number) => opened?.stream.lastSeen(sinceMs) ?? [],
    close: async () => {
      opened?.stream.close()
      opened?.feed.close()
    },
  }
}
