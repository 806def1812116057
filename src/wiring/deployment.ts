import { join } from 'node:path'
import type { Feed } from '../core/feed.ts'
import type { LogLevel } from '../core/log.ts'
import { expected } from '../core/loop/guarded.ts'
import { once } from '../core/loop/once.ts'
import type { Meter } from '../core/observing/meter.ts'
import { requestLog } from '../core/observing/request-context.ts'
import type { Log, Upstream, World } from '../core/ports.ts'
import { accountTag } from '../crypto/account-id.ts'
import { loadControls } from '../gateway/controls/controls.ts'
import { createGateway, type Gateway } from '../gateway/gateway.ts'
import { startHousekeeping } from '../gateway/housekeeping.ts'
import { startProbe } from '../gateway/ready.ts'
import type { Windows } from '../limits/windows.ts'
import type { Front, Fronts } from '../routes/http/front.ts'
import { createSockets, type Sockets } from '../routes/http/sockets.ts'
import { createPublic } from '../routes/public.ts'
import type { OpenStream } from '../routes/stream.ts'
import type { Settings } from '../settings/settings.ts'
import { StoreUnusableError } from '../store/trouble.ts'
import type { Stream } from '../stream/stream.ts'
import { openLogKey } from './log-key.ts'
import { observe, readState, readStream } from './observed.ts'
import { type OpenStore, openStore } from './store.ts'
import type { Surface } from './surface.ts'
import { openVenue } from './venue.ts'
import type { OpenVenue } from './venue-port.ts'

/** Everything behind the listeners, opened and wired. */
export type Deployment = {
  readonly front: Front
  /** The same for GET of single paths, by path. */
  readonly direct: ReadonlyMap<string, Front>
  readonly ops: Front
  /** The sockets of the public listener. */
  readonly sockets: Sockets
  readonly venue: 'embedded' | 'live'
  /** Says on /readyz that this process is stopping. */
  readonly drain: () => void
  /** Shows on /readyz and in the metrics when the certificate of the public listener ends. */
  readonly showCertificate: (endMs: number) => void
  /** Ends all live streams with a hint when to reconnect. */
  readonly endStreams: () => Promise<void>
  /** Where the embedded venue serves its wire to other programs; null where it does not. */
  readonly venueUrl: string | null
  /** Stops the timers, writes what is still in memory, closes the store. */
  readonly close: () => Promise<void>
}

/** Opens the store, the venue and the gateway for these settings. `path` is the store's: a file, or `:memory:`. */
export async function openDeployment(
  settings: Settings,
  outside: World,
  path: string = join(settings.dataDir, 'prepd.sqlite'),
  changing: Partial<Changing> = {},
): Promise<Deployment> {
  const { setLogLevel = () => undefined, operatorKeys = () => settings.operatorKeys } = changing
  const world = { ...outside, log: requestLog(outside.log) }
  const { store, ...opened } = await openStore(settings, world, path)
  try {
    const { log, faults } = tallied(world.log)
    const venue = await openVenue(settings, { ...world, log }, store)
    const checked = { ...store, check: async () => (await store.check()) ?? venue.refusal() }
    const parts = { path, ...opened, store: checked, venue, faults, setLogLevel, operatorKeys }
    return await wire(settings, world, parts)
  } catch (error) {
    store.close()
    // A record that is no JSON any more is the file's fault, and says so.
    throw error instanceof SyntaxError ? new StoreUnusableError(path, error) : error
  }
}

/** What may change while a deployment runs. */
type Changing = {
  readonly setLogLevel: (level: LogLevel) => void
  /** Asked for each act of the operator. Where there is none at first, there are no acts. */
  readonly operatorKeys: () => readonly string[]
}

type Opened = OpenStore &
  Changing & {
    readonly path: string
    readonly venue: OpenVenue
    readonly faults: () => number
  }

async function wire(settings: Settings, world: World, opened: Opened): Promise<Deployment> {
  const { store, venue } = opened
  const observed = await observe(settings, world, opened)
  const { meter, recorder, upstream, traced, stopObserving, isShortOfDescriptors } = observed
  const gateway = await openGateway(settings, world, { ...opened, upstream, meter })
  const sockets = createSockets()
  const live = streamOf(settings, gateway, venue)
  readStream(meter, live.size)
  const startedAtMs = world.clock.nowMs()
  const { drain, showCertificate, ...shown } = createState()
  const state = { ...shown, isShortOfDescriptors }
  readState(meter, settings, { ...state, path: opened.path, controls: gateway.controls })
  async function openRest(): Promise<Surface> {
    const { openSurface } = await import('./surface.ts')
    const parts = { settings, world, startedAtMs, gateway, meter, recorder, sockets, live }
    return openSurface({ ...opened, ...parts, ...state, venue: await venue.whole() })
  }
  // Nothing of it is in memory before the first who needs it; what could not be opened for one is tried again for the next.
  const surface = once(openRest)
  if (speaksAtStart(settings)) await surface.get()
  const fronts = createPublic({
    ...frontSettings(settings, world, opened.path),
    gateway,
    recorder,
    venue: venue.kind,
    routerOf: async (shared) => (await surface.get()).routerOf(shared),
  })
  const stops = [startHousekeeping({ ...world, ...gateway })]
  if (settings.opsListen) stops.push(startProbe({ ...gateway, ...state, venue: venue.kind }))
  return {
    ...eachFront(fronts, traced),
    ops: async (request, peer) => (await surface.get()).ops(request, peer),
    sockets,
    venue: venue.kind,
    drain,
    showCertificate,
    endStreams: live.close,
    venueUrl: venue.url,
    close: async () => {
      for (const stop of stops) stop()
      await Promise.all([live.close(), venue.stop(), stopObserving()])
      saveWindows(gateway.limiter, world.log)
      // What could not be opened is closed.
      await surface.begun()?.then(
        ({ close }) => close(),
        () => undefined,
      )
      store.close()
    },
  }
}

/** The state of the listeners. */
function createState() {
  let isStopping = false
  let certificateEndMs: number | null = null
  return {
    isStopping: () => isStopping,
    certificateEndMs: () => certificateEndMs,
    drain: () => {
      isStopping = true
    },
    showCertificate: (endMs: number) => {
      certificateEndMs = endMs
    },
  }
}

/** Whether a product has something to say before anybody is answered: what is wrong with it, or only bold. */
function speaksAtStart({ voucher, swap }: Settings): boolean {
  return voucher.path !== null || swap.at instanceof URL
}

function eachFront({ front, direct }: Fronts, change: (front: Front) => Front): Fronts {
  const changed = Array.from(direct, ([path, own]) => [path, change(own)] as const)
  return { front: change(front), direct: new Map(changed) }
}

/** The perpetuals, with what the operator has set before. */
async function openGateway(
  settings: Settings,
  world: World,
  parts: Pick<Opened, 'store' | 'venue' | 'shared'> & {
    readonly upstream: Upstream
    readonly meter: Meter
  },
): Promise<Gateway> {
  const { promote, clock: venueClock } = parts.venue
  const controls = await loadControls(parts.store.controls)
  return createGateway({ ...world, ...parts, venueClock, settings, promote, controls })
}

/** What the front takes from the settings as it is. */
function frontSettings(
  { trustedProxies, allowedOrigins, log, dataDir }: Settings,
  world: World,
  path: string,
) {
  const isKept = path !== ':memory:' && log.requestsPerSecond > 0
  const key = isKept ? openLogKey(dataDir, world) : world.random.bytes(32)
  const tagOf = (accountId: string) => accountTag(key, accountId)
  return { trusted: trustedProxies, origins: allowedOrigins, accessLines: { ...log, tagOf } }
}

/** Live data, of which nothing is loaded before the first who asks for it. */
function streamOf({ streamClients }: Settings, gateway: Gateway, { openFeed }: OpenVenue) {
  let opened: { readonly stream: Stream; readonly feed: Feed } | null = null
  const open: OpenStream = async (publish) => {
    if (!openFeed) throw new RangeError('no live data')
    const { openStream } = await import('../stream/stream.ts')
    const feed = await openFeed()
    const stream = await openStream({ deps: gateway, feed, clientsMax: streamClients, publish })
    opened = { stream, feed }
    return stream
  }
  return {
    open: openFeed && open,
    size: () => opened?.stream.size() ?? null,
    close: async () => {
      opened?.stream.close()
      opened?.feed.close()
    },
  }
}

// A disk without room costs the windows, not the rest of the stop.
function saveWindows(limiter: Pick<Windows, 'flush'>, log: Log): void {
  try {
    limiter.flush(Number.POSITIVE_INFINITY)
  } catch (error) {
    expected('store', error, Error)
    log.error('housekeeping_failed', { what: 'flush' })
  }
}

/** A log that counts the embedded venue's own faults as it passes them on. */
function tallied(log: Log): { readonly log: Log; readonly faults: () => number } {
  let faults = 0
  const error: Log['error'] = (event, fields) => {
    if (event === 'venue_fault') faults += 1
    log.error(event, fields)
  }
  return { log: { ...log, error }, faults: () => faults }
}
