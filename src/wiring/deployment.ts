import { join } from 'node:path'
import { BUILD } from '../core/build-facts.ts'
import type { Meter } from '../core/meter.ts'
import type { Store, World } from '../core/ports.ts'
import { visitedLog } from '../core/visit.ts'
import type { Settings } from '../settings/settings.ts'
import type { SwapParts } from '../swap/open.ts'
import type { VoucherParts } from '../voucher/open.ts'
import { type OpenVenue, openVenue } from './venue.ts'

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
  outside: World,
  path: string = join(settings.dataDir, 'prepd.sqlite'),
): Promise<Deployment> {
  const world = { ...outside, log: visitedLog(outside.log) }
  const { openSqlite } = await import('../store/sqlite.ts')
  const store = openSqlite(path)
  try {
    const venue = await openVenue(settings, world, store)
    return await wire(settings, world, { path, store, venue })
  } catch (error) {
    store.close()
    throw error
  }
}

type Opened = { readonly path: string; readonly store: Store; readonly venue: OpenVenue }

async function wire(
  settings: Settings,
  world: World,
  { path, store, venue }: Opened,
): Promise<Deployment> {
  const { createGateway } = await import('../gateway/gateway.ts')
  const { startHousekeeping } = await import('../gateway/housekeeping.ts')
  const { createPublic } = await import('../routes/public.ts')
  const { observe } = await import('./observed.ts')
  const { createOps } = await import('../routes/ops.ts')
  const { promote, clock: venueClock } = venue
  const startedAtMs = world.clock.nowMs()
  const { meter, upstream, stopReading } = observe({ venue, store, log: world.log, startedAtMs })
  const gateway = createGateway({ ...world, meter, venueClock, settings, store, upstream, promote })
  const { limiter } = gateway
  const { swap, vouchers, closeVouchers } = await openProducts(settings, gateway, { path, venue })
  const stopHousekeeping = startHousekeeping(gateway)
  return {
    front: createPublic({
      gateway,
      swap,
      vouchers,
      trusted: settings.trustedProxies,
      origins: settings.allowedOrigins,
      accessLines: settings.log,
      hosts: settings.allowedHosts,
      version: BUILD.version,
      operatorKey: settings.operatorKey,
      venue: venue.kind,
    }),
    ops: createOps({
      deps: gateway,
      clock: world.clock,
      meter,
      venue: venue.kind,
      advance: venue.advance,
      version: BUILD.version,
      startedAtMs,
    }),
    venue: venue.kind,
    close: async () => {
      stopHousekeeping()
      stopReading()
      await venue.stop()
      limiter.flush(Number.POSITIVE_INFINITY)
      closeVouchers()
      store.close()
    },
  }
}

/** The products beside the venue's own. */
async function openProducts(
  settings: Settings,
  parts: { readonly meter: Meter } & SwapParts & Omit<VoucherParts, 'readText' | 'storePath'>,
  { path, venue }: Pick<Opened, 'path' | 'venue'>,
) {
  const { openSwap } = await import('../swap/open.ts')
  const { openVouchers } = await import('../voucher/open.ts')
  const swap = await openSwap(settings.swap, parts, { ...venue, seed: settings.venue.seed })
  const readText = (file: string) => Bun.file(file).text()
  const opened = await openVouchers(settings.voucher, { ...parts, readText, storePath: path })
  const { meteredSwap, meteredVouchers } = await import('./metered.ts')
  return {
    swap: meteredSwap(swap, parts.meter),
    vouchers: meteredVouchers(opened.vouchers, parts.meter),
    closeVouchers: opened.close,
  }
}
