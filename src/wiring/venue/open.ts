import type { Store, World } from '../../core/ports.ts'
import type { Settings, VenueSettings } from '../../settings/settings.ts'
import { LIMITS } from '../../spec/limits.ts'
import { openEmbedded } from './embedded.ts'
import type { OpenVenue, WholeVenue } from './port.ts'
import { pricesOf } from './prices.ts'

/** Opens the venue that the settings name. */
export async function openVenue(
  settings: Settings,
  world: World,
  store: Store,
): Promise<OpenVenue> {
  const { at, vaults } = settings.venue
  if (at === 'embedded' || vaults === 'embedded') return openEmbedded(settings, world, store)
  const { httpUpstream } = await import('../../upstream/http.ts')
  const upstream = httpUpstream({
    main: at,
    vaults,
    proxied: world.proxied ?? (() => false),
    concurrentMax: LIMITS.upstreamConcurrentMax,
    writeReserved: LIMITS.upstreamWriteReserved,
    queuedMax: { read: LIMITS.upstreamReadQueuedMax, write: LIMITS.upstreamWriteQueuedMax },
    elapsedMs: world.monotonicMs,
    bodyMaxBytes: LIMITS.upstreamBodyMaxBytes,
    bodyDepthMax: LIMITS.scrubDepthMax,
    bodiesMaxBytes: {
      read: LIMITS.upstreamReadBodiesMaxBytes,
      write: LIMITS.upstreamWriteBodiesMaxBytes,
    },
  })
  const whole: WholeVenue = {
    kind: 'live',
    practice: null,
    prices: async () => {
      const { createFeed } = await import('../../venue/market/seeded-feed.ts')
      const feed = createFeed({ seed: settings.venue.seed, genesisMs: world.clock.nowMs() })
      return pricesOf((symbol, atMs) =>
        feed.instruments.has(symbol) ? feed.index(symbol, atMs) : null,
      )
    },
    clock: world.clock,
    advance: null,
    arrived: async () => undefined,
    check: null,
    stillPrices: () => null,
    tell: null,
  }
  return {
    kind: 'live',
    upstream,
    openFeed: liveFeedOf(settings.venue, world),
    promote: null,
    url: null,
    clock: world.clock,
    load: upstream.load,
    whole: async () => whole,
    stop: async () => undefined,
  }
}

function liveFeedOf({ stream, streamPrivate }: VenueSettings, world: World) {
  if (!(stream instanceof URL)) return null
  return async () => {
    const { liveFeed } = await import('../../upstream/live/feed.ts')
    return liveFeed({
      ...world,
      open: stream,
      account: streamPrivate instanceof URL ? streamPrivate : null,
    })
  }
}
