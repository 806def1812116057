import { join } from 'node:path'
import { BUILD } from '../core/build-facts.ts'
import type { Store } from '../core/ports.ts'
import type { Settings } from '../settings/settings.ts'
import { tallied } from './fault-tally.ts'
import { openSwap } from './swap.ts'
import { type OpenVenue, openVenue } from './venue.ts'
import { openVouchers } from './vouchers.ts'
import type { World } from './world.ts'

/** Everything behind the listeners, opened and wired. */
export type Deployment = {
  readonly front: (request: Request, peer: string) => Response | Promise<Response>
  readonly ops: (request: Request, peer: string) => Response | Promise<Response>
  readonly venue: 'embedded' | 'live'
  /** Stops the timers, writes what is still in memory, closes the store. */
  readonly close: () => Promise<void>
}

/** Opens the store, the venue and the gateway for these settings. `path` is the store's: a file, or `:memory:`. */
export async function openDeployment(
  settings: Settings,
  world: World,
  path: string = join(settings.dataDir, 'prepd.sqlite'),
): Promise<Deployment> {
  const { openSqlite } = await import('../store/sqlite.ts')
  const store = openSqlite(path)
  try {
    const { log, faults } = tallied(world.log)
    const venue = await openVenue(settings, { ...world, log }, store)
    return await wire(settings, world, { path, store, venue, faults })
  } catch (error) {
    store.close()
    throw error
  }
}

type Opened = {
  readonly path: string
  readonly store: Store
  readonly venue: OpenVenue
  readonly faults: () => number
}

async function wire(
  settings: Settings,
  world: World,
  { path, store, venue, faults }: Opened,
): Promise<Deployment> {
  const { createGateway } = await import('../gateway/gateway.ts')
  const { startHousekeeping } = await import('../gateway/housekeeping.ts')
  const { createPublic } = await import('../routes/public.ts')
  const { createMeter } = await import('../routes/http/meter.ts')
  const { createOps } = await import('../routes/ops.ts')
  const { consoleParts, openRecorder } = await import('./console.ts')
  const { stopwatch, recorder, upstream, stopSampler } = await openRecorder(world, venue.upstream)
  const deps = createGateway({ ...world, settings, store, upstream, promote: venue.promote })
  const swap = await openSwap(settings, { ...world, scrub: deps.scrub, cache: deps.cache }, venue)
  const vouchers = await openVouchers(settings, { ...world, scrub: deps.scrub }, path)
  const meter = createMeter()
  const stopHousekeeping = startHousekeeping(deps)
  return {
    front: createPublic({
      deps,
      swap,
      vouchers: vouchers.vouchers,
      random: world.random,
      trusted: settings.trustedProxies,
      origins: settings.allowedOrigins,
      hosts: settings.allowedHosts,
      meter,
      ...{ stopwatch, recorder },
      version: BUILD.version,
      operatorKey: settings.operatorKey,
      venue: venue.kind,
      page: settings.page,
    }),
    ops: createOps({
      deps,
      meter,
      venue: venue.kind,
      advance: venue.advance,
      version: BUILD.version,
      startedAtMs: world.clock.nowMs(),
      console: consoleParts(settings, world, {
        ...{ path, venue, faults, deps, recorder },
        desk: vouchers.desk,
      }),
    }),
    venue: venue.kind,
    close: async () => {
      stopHousekeeping()
      stopSampler()
      await venue.stop()
      deps.limiter.flush(Number.POSITIVE_INFINITY)
      vouchers.close()
      store.close()
    },
  }
}
