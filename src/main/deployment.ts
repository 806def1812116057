import { join } from 'node:path'
import type { VenueKind } from '../contract/venue/kind.ts'
import { BUILD_FACTS } from '../core/build-facts.ts'
import { reportUnexpected } from '../core/loop/guarded.ts'
import { lossReason } from '../core/loss.ts'
import type { Meter } from '../core/observing/meter.ts'
import { requestLog } from '../core/observing/request-context.ts'
import { keepRequestLines } from '../core/observing/request-lines.ts'
import type { Clock, Log, Upstream, World } from '../core/ports.ts'
import type { Settings } from '../core/settings/settings.ts'
import { createFaucet, type Faucet } from '../gateway/account/faucet.ts'
import { loadControls } from '../gateway/controls/controls.ts'
import { createGateway, type Gateway } from '../gateway/gateway.ts'
import { startHousekeeping } from '../gateway/housekeeping.ts'
import type { RateWindows } from '../gateway/limits/limiter.ts'
import { createStandbys, type SteppedStandbys, startStandbys } from '../gateway/standby/watch.ts'
import { createOps } from '../http/ops.ts'
import { createPublic } from '../http/router.ts'
import type { Front, Fronts } from '../http/server/front.ts'
import { createSockets, type Sockets } from '../http/server/sockets.ts'
import { startAccountWebhooks } from './account-webhooks.ts'
import { backUpBeforeUpgrade, openBackups } from './backups.ts'
import { createCountingLog } from './crash.ts'
import { createLazyStream } from './live.ts'
import { type AccountTags, namedAccounts } from './log-key.ts'
import { startNotices } from './notices.ts'
import { observeAll, readState, readStream } from './observed.ts'
import { actsParts, type OperatorOptions, opsParts, type ReloadableSettings } from './operator.ts'
import { openProducts } from './products.ts'
import { type OpenStore, openStore } from './store.ts'
import { openVenue } from './venue.ts'
import type { OpenVenue } from './venue-port.ts'

/** Everything behind the listeners, opened and wired. */
export type Deployment = {
  readonly front: Front
  /** Direct handlers for GET requests, by path, which skip the router. */
  readonly direct: ReadonlyMap<string, Front>
  readonly ops: Front
  /** The sockets of the public listener. */
  readonly sockets: Sockets
  readonly venue: VenueKind
  /** The venue's clock: the embedded venue's own, or the wall clock. */
  readonly venueClock: Clock
  readonly standbys: SteppedStandbys
  /** Reports on /readyz that this process is stopping. */
  readonly drain: () => void
  /** Reports the expiry of the public listener's certificate on /readyz and in the metrics. */
  readonly showCertificate: (endMs: number) => void
  /** Ends all live streams with a reconnect hint. */
  readonly endStreams: () => Promise<void>
  /** The URL at which the embedded venue serves other programs; null if it does not. */
  readonly venueUrl: string | null
  /** Stops the timers, writes the state in memory to the store, and closes everything in reverse order of opening. */
  readonly close: () => Promise<void>
}

/**
 * Opens everything behind the listeners, in sequence: store, venue, observation, gateway, products, routes,
 * housekeeping. `path`: the store's file, or `:memory:`. With `isStepped`, time advances only on request: the timers of
 * standby cancels and the background renewals of cached answers are off. Throws StartError.
 */
export async function openDeployment(
  settings: Settings,
  outside: World,
  path: string = join(settings.dataDir, 'prepd.sqlite'),
  changing: Partial<Omit<Opening, 'path'>> = {},
): Promise<Deployment> {
  const closing: Close[] = []
  try {
    await backUpBeforeUpgrade(settings, outside, path)
    return await openAll(
      settings,
      outside,
      { path, ...fixedSettings(settings), ...changing },
      closing,
    )
  } catch (error) {
    await closeAll(closing)
    throw error
  }
}

type Opening = ReloadableSettings & { readonly path: string; readonly isStepped: boolean }

function fixedSettings({ operatorKeys }: Settings): Omit<Opening, 'path'> {
  const changing = { setLogLevel: () => undefined, operatorKeys: () => operatorKeys, entries: [] }
  return { ...changing, isStepped: false }
}

type Close = () => unknown

async function closeAll(closing: readonly Close[]): Promise<void> {
  for (const close of closing.toReversed()) await close()
}

async function openAll(
  settings: Settings,
  outside: World,
  { path, isStepped, ...changing }: Opening,
  closing: Close[],
): Promise<Deployment> {
  const requestLines = keepRequestLines(outside.log, outside.clock)
  const world = { ...outside, log: requestLog(requestLines.log) }
  const startedAtMs = world.clock.nowMs()

  const { store: records, ...opened } = await openStore(settings, world, path)
  closing.push(records.close)

  const { tagOf, noteUnknown, unknownWrites } = namedAccounts(settings, world, path)
  const { log, faults } = createCountingLog(world.log)
  const venue = await openVenue(settings, { ...world, log }, path)
  closing.push(venue.stop)
  const store = { ...records, check: async () => (await records.check()) ?? venue.refusal() }

  const observed = await observeAll(settings, world, { ...opened, venue, store, unknownWrites })
  const { meter, upstream, traced, judge, ...shown } = observed
  closing.push(observed.stopObserving)

  const counted = { store, venue, upstream, meter, noteUnknown, isStepped }
  const gateway = await openGateway(settings, world, { ...opened, ...counted })
  closing.push(() => saveWindows(gateway.limiter, world.log))

  const products = await openProducts(settings, world, { ...opened, gateway, venue, meter })
  closing.push(products.close)

  const live = createLazyStream(settings, { ...world, ...opened, gateway, venue })
  closing.push(live.close)
  readStream(meter, live)

  const { drain, showCertificate, ...state } = createState()
  readState(meter, settings, { ...state, path, controls: gateway.controls })

  const { backupTrouble, stopBackups } = await openBackups(settings, world, { path, meter })
  closing.push(stopBackups)

  const parts = { ...opened, ...products, ...changing, ...state, path, startedAtMs, faults, live }
  const routed = { ...parts, ...shown, requestLines, gateway, meter, venue, judge }
  const { fronts, ops, sockets } = openRoutes(settings, world, { ...routed, tagOf })

  const standbys = createStandbys({ ...gateway, ...live })
  closing.push(startHousekeeping({ ...world, ...gateway }), startStandbys(standbys, isStepped))
  closing.push(startAccountWebhooks(gateway, venue.embedded))
  closing.push(await startNotices(settings, world, { ...gateway, ...routed, backupTrouble }))

  return {
    ...mapFronts(fronts, traced),
    ...{ ops, sockets, drain, showCertificate, standbys, venue: venue.kind },
    venueClock: venue.clock,
    endStreams: live.close,
    venueUrl: venue.url,
    close: () => closeAll(closing),
  }
}

/** The state that the listeners report. */
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

function mapFronts({ front, direct }: Fronts, change: (front: Front) => Front): Fronts {
  const changed = Array.from(direct, ([path, own]) => [path, change(own)] as const)
  return { front: change(front), direct: new Map(changed) }
}

/** Opens the gateway, with the operator's stored controls. */
async function openGateway(
  settings: Settings,
  world: World,
  parts: Pick<OpenStore, 'store' | 'shared'> & {
    readonly venue: OpenVenue
    readonly upstream: Upstream
    readonly meter: Meter
    readonly noteUnknown: (accountId: string) => void
    readonly isStepped: boolean
  },
): Promise<Gateway> {
  const { embedded, clock: venueClock, advance: advanceClock, verified } = parts.venue
  const controls = await loadControls(parts.store.controls)
  const loss = controls.loss()
  if (loss) world.log.error('records_lost', { message: lossReason(loss) })
  const faucet = createVenueFaucet(settings, parts.venue)
  return createGateway({
    ...world,
    ...parts,
    ...{ venueClock, advanceClock, verified },
    promote: embedded?.promote ?? null,
    ...{ settings, controls, faucet },
  })
}

/** The request handlers (fronts) of the public listener and of the operator's listener. */
function openRoutes(
  settings: Settings,
  world: World,
  opened: OperatorOptions & { readonly tagOf: AccountTags },
) {
  const sockets = createSockets(world.clock)
  const acts = actsParts(settings, world, opened)
  const { gateway, swap, vouchers, recorder, live, venue } = opened
  const { trustedProxies, allowedOrigins, allowedHosts, tls, page, log } = settings
  const fronts = createPublic({
    ...{ gateway, swap, vouchers, recorder, sockets, acts, page },
    openStream: live.open,
    venue: venue.kind,
    version: BUILD_FACTS.version,
    trusted: trustedProxies,
    origins: allowedOrigins,
    hosts: allowedHosts,
    accessLines: { ...log, tagOf: opened.tagOf },
    tls: tls !== null,
  })
  const ops = createOps({ ...opsParts(settings, world, opened), ...fronts, acts })
  return { fronts, ops, sockets }
}

// If the write fails, for example on a full disk, only the windows are lost, and the stop continues.
function saveWindows(limiter: Pick<RateWindows, 'flush'>, log: Log): void {
  try {
    limiter.flush(Number.POSITIVE_INFINITY)
  } catch (error) {
    reportUnexpected('store', error, Error)
    log.error('housekeeping_failed', { what: 'flush' })
  }
}

/** The faucet of the embedded venue; null with a live venue. */
function createVenueFaucet(
  { venue: { faucetMicros } }: Settings,
  { embedded }: Pick<OpenVenue, 'embedded'>,
): Faucet | null {
  return (
    embedded &&
    createFaucet({
      fullMicros: faucetMicros,
      holdingOf: async (accountId) => (await embedded.showAccount(accountId))?.holdingUsdc ?? null,
      credit: async (accountId, micros) => void (await embedded.fundAccount(accountId, micros)),
    })
  )
}
