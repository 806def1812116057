import { join } from 'node:path'
import { BUILD } from '../core/build-facts.ts'
import type { Log, Store, World } from '../core/ports.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Sockets } from '../routes/http/sockets.ts'
import type { OpenStream } from '../routes/stream.ts'
import type { Settings } from '../settings/settings.ts'
import type { SwapParts } from '../swap/open.ts'
import type { VoucherParts } from '../voucher/open.ts'
import { tallied } from './fault-tally.ts'
import { starting } from './start-error.ts'
import { type OpenVenue, openVenue } from './venue.ts'

/** Everything behind the listeners, opened and wired. */
export type Deployment = {
  readonly front: (request: Request, peer: string) => Response | Promise<Response>
  readonly ops: (request: Request, peer: string) => Response | Promise<Response>
  /** The sockets of the public listener. */
  readonly sockets: Sockets
  readonly venue: 'embedded' | 'live'
  /** Tells everybody who listens to live data when to come back, and ends them. */
  readonly farewell: () => Promise<void>
  /** Where the embedded venue serves its wire to other programs; null where it does not. */
  readonly venueUrl: string | null
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
  const { StoreUnusableError } = await import('../store/trouble.ts')
  const store = await starting('DATA_DIR', settings.dataDir, () =>
    openSqlite(path, world.clock.nowMs()),
  )
  try {
    const { log, faults } = tallied(world.log)
    const venue = await openVenue(settings, { ...world, log }, store)
    return await wire(settings, world, { path, store, venue, faults })
  } catch (error) {
    store.close()
    // A record that is no JSON any more is the file's fault, and says so.
    throw error instanceof SyntaxError ? new StoreUnusableError(path, error) : error
  }
}

type Opened = {
  readonly path: string
  readonly store: Store
  readonly venue: OpenVenue
  readonly faults: () => number
}

async function wire(settings: Settings, world: World, opened: Opened): Promise<Deployment> {
  const { store, venue } = opened
  const { createGateway } = await import('../gateway/gateway.ts')
  const { startHousekeeping } = await import('../gateway/housekeeping.ts')
  const { createPublic, createSockets, createMeter, createOps } = await loadRoutes()
  const { consoleParts, openRecorder } = await import('./console.ts')
  const { promote, clock: venueClock } = venue
  const { stopwatch, recorder, upstream, stopSampler } = await openRecorder(world, venue.upstream)
  const gateway = createGateway({ ...world, venueClock, settings, store, upstream, promote })
  const { desk, closeVouchers, ...products } = await openProducts(settings, gateway, opened)
  const meter = createMeter()
  const sockets = createSockets()
  const live = streamOf(settings, gateway, venue)
  const stopHousekeeping = startHousekeeping({ ...world, ...gateway })
  return {
    front: createPublic({
      gateway,
      ...products,
      openStream: live.open,
      tellVenue: venue.tell,
      sockets,
      ...publicSettings(settings),
      meter,
      ...{ stopwatch, recorder },
      version: BUILD.version,
      venue: venue.kind,
    }),
    ops: createOps({
      deps: gateway,
      clock: world.clock,
      limiter: gateway.limiter,
      meter,
      vouchers: products.vouchers,
      venue: venue.kind,
      advance: venue.advance,
      practice: venue.practice,
      check: venue.check,
      arrived: venue.arrived,
      version: BUILD.version,
      startedAtMs: world.clock.nowMs(),
      console: consoleParts(settings, world, { ...opened, recorder, desk, deps: gateway }),
    }),
    sockets,
    venue: venue.kind,
    farewell: live.close,
    venueUrl: venue.url,
    close: async () => {
      stopHousekeeping()
      stopSampler()
      await Promise.all([live.close(), venue.stop()])
      saveWindows(gateway.limiter, world.log)
      closeVouchers()
      store.close()
    },
  }
}

/** What the public surface takes from the settings as it is. */
function publicSettings({
  trustedProxies,
  allowedOrigins,
  allowedHosts,
  operatorKey,
  tls,
  page,
}: Settings) {
  return {
    trusted: trustedProxies,
    origins: allowedOrigins,
    hosts: allowedHosts,
    operatorKey,
    tls: tls !== null,
    page,
  }
}

/** What the listeners are made with; no other mode loads it. */
async function loadRoutes() {
  const { createPublic } = await import('../routes/public.ts')
  const { createSockets } = await import('../routes/http/sockets.ts')
  const { createMeter } = await import('../routes/http/meter.ts')
  const { createOps } = await import('../routes/ops.ts')
  return { createPublic, createSockets, createMeter, createOps }
}

/** Live data, of which nothing is loaded before the first who asks for it. */
function streamOf({ streamClients }: Settings, gateway: Gateway, { openFeed }: OpenVenue) {
  let stop: (() => Promise<void>) | null = null
  const open: OpenStream = async (publish) => {
    if (!openFeed) throw new RangeError('no live data')
    const { openStream } = await import('../stream/stream.ts')
    const feed = await openFeed()
    const stream = await openStream({ deps: gateway, feed, clientsMax: streamClients, publish })
    stop = async () => {
      stream.close()
      feed.close()
    }
    return stream
  }
  return { open: openFeed && open, close: async () => stop?.() }
}

// A disk without room costs the windows, not the rest of the stop.
function saveWindows(limiter: Pick<Limiter, 'flush'>, log: Log): void {
  try {
    limiter.flush(Number.POSITIVE_INFINITY)
  } catch {
    log.error('housekeeping_failed', { what: 'flush' })
  }
}

/** The products beside the venue's own. */
async function openProducts(
  settings: Settings,
  parts: SwapParts & Omit<VoucherParts, 'readText' | 'storePath'>,
  { path, venue }: Pick<Opened, 'path' | 'venue'>,
) {
  const { openSwap } = await import('../swap/open.ts')
  const { openVouchers } = await import('../voucher/open.ts')
  const swap = await openSwap(settings.swap, parts, { ...venue, seed: settings.venue.seed })
  const readText = (file: string) => Bun.file(file).text()
  const opened = await starting('VOUCHER', settings.voucher.path ?? 'off', () =>
    openVouchers(settings.voucher, { ...parts, readText, storePath: path }),
  )
  return { swap, vouchers: opened.vouchers, desk: opened.desk, closeVouchers: opened.close }
}
