import { BACKUP_MARK_FILE } from '../contract/operator/process.ts'
import { BUILD_FACTS } from '../core/build-facts.ts'
import { Failure } from '../core/failure.ts'
import type { LogLevel } from '../core/log.ts'
import { defaultOnFailure } from '../core/loop/guarded.ts'
import type { Meter } from '../core/observing/meter.ts'
import type { RequestLines } from '../core/observing/request-lines.ts'
import type { World } from '../core/ports.ts'
import { recordsLocation } from '../core/settings/engines.ts'
import { hostText } from '../core/settings/listen-address.ts'
import type { Settings } from '../core/settings/settings.ts'
import { type Entry, shownSettings } from '../core/settings/sources.ts'
import type { ActAccess } from '../gateway/acts.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { findMissingPart } from '../gateway/ready.ts'
import { consoleFigures } from '../gateway/voucher/figures.ts'
import { areVouchersStopped, setPaused } from '../gateway/voucher/pause.ts'
import type { ConsoleOptions } from '../http/console/console.ts'
import { engineFigures } from '../http/console/engines.ts'
import type { ActRouteOptions } from '../http/operator/acts.ts'
import type { OpsRouteOptions } from '../http/ops.ts'
import type { StreamSize } from '../live/stream.ts'
import type { createLazyStream } from './live.ts'
import type { Observed } from './observed.ts'
import { markSeconds } from './process-readings.ts'
import type { Products } from './products.ts'
import type { OpenStore } from './store.ts'
import type { OpenVenue } from './venue-port.ts'

/** Settings that may change while a deployment runs. */
export type ReloadableSettings = {
  readonly setLogLevel: (level: LogLevel) => void
  /**
   * The valid operator keys, read for each action. If there are no keys at the start, the routes of the actions are
   * off.
   */
  readonly operatorKeys: () => readonly string[]
  /** The settings at the start, for the console. */
  readonly entries: readonly Entry[]
}

/** The parts of the operator's listener, opened before it. */
export type OperatorOptions = Products &
  ReloadableSettings &
  Omit<Observed, 'upstream' | 'traced' | 'stopObserving'> &
  Pick<OpenStore, 'engines'> & {
    readonly startedAtMs: number
    /** The store's file, or `:memory:`. */
    readonly path: string
    readonly gateway: Gateway
    readonly venue: OpenVenue
    readonly requestLines: Pick<RequestLines, 'of'>
    readonly live: Pick<ReturnType<typeof createLazyStream>, 'open' | 'size' | 'leader'>
    /** Number of internal errors of the embedded venue. */
    readonly faults: () => number
    readonly isStopping: () => boolean
    readonly certificateEndMs: () => number | null
  }

/** Everything that the operator's listener serves, except operator actions. */
export function opsParts(
  settings: Settings,
  world: World,
  opened: OperatorOptions,
): Omit<OpsRouteOptions, 'acts' | 'front'> {
  const { gateway, venue } = opened
  const { advance, embedded, stillPrices } = venue
  return {
    ...opened,
    deps: gateway,
    venue: venue.kind,
    practice: embedded,
    check: embedded?.check ?? null,
    ...{ advance, stillPrices },
    version: BUILD_FACTS.version,
    console: consoleParts(settings, world, opened),
    hosts: opsHosts(settings),
  }
}

/** Host names that the operator's listener accepts: the service's names, and the listener's own. */
function opsHosts({ allowedHosts, opsListen }: Settings): readonly string[] {
  return opsListen ? [...allowedHosts, hostText(opsListen.host).toLowerCase()] : allowedHosts
}

function consoleParts(
  { swap, dataDir, engines: shared }: Settings,
  world: World,
  opened: OperatorOptions,
): ConsoleOptions {
  const { venue, live, meter, engines, voucherService, path } = opened
  const { startedAtMs, recorder, operatorKeys, faults } = opened
  return {
    ...toActAccess(world, opened),
    recorder,
    judge: opened.judge,
    linesOf: opened.requestLines.of,
    settings: () => shownSettings(opened.entries),
    machine: () => machineReadings(meter, opened.certificateEndMs()),
    operatorKeys,
    version: BUILD_FACTS.version,
    startedAtMs,
    advance: venue.advance,
    streams: live.open && (() => streamFigures(live.size())),
    instance: opened.instance,
    feedLeader: live.leader,
    engineFigures: () => engineFigures(engines, meter),
    voucherFigures: async () =>
      voucherService &&
      consoleFigures(voucherService, world.clock).catch(defaultOnFailure('store', null, Failure)),
    swap: swap.at === null ? 'off' : swap.at === 'embedded' ? 'embedded' : 'live',
    storeSizes: () => ({
      fileBytes: shared ? null : fileSizeBytes(path),
      logBytes: shared ? null : fileSizeBytes(`${path}-wal`),
      syncMs: syncMs(meter),
      backupAtMs: path === ':memory:' || shared ? null : backupMs(dataDir),
    }),
    venue: {
      kind: venue.kind,
      nowMs: venue.clock.nowMs,
      isVirtual: venue.advance !== null,
      faults,
      changes: opened.venueChanges,
      books: venue.books,
    },
  }
}

function machineReadings(meter: Meter, certificateEndMs: number | null) {
  const [free] = meter.samples('prepd_data_free_bytes')
  const [skew] = meter.samples('prepd_venue_clock_skew_seconds')
  return {
    processId: process.pid,
    certificateEndMs,
    freeBytes: free?.value ?? null,
    clockSkewMs: skew ? skew.value * 1000 : null,
  }
}

function syncMs(meter: Meter): number | null {
  const [sync] = meter.samples('prepd_store_sync_seconds')
  return sync ? sync.value * 1000 : null
}

/** Numbers of live connections and subscriptions; zero before the first subscriber. */
function streamFigures(size: StreamSize | null) {
  return { open: size ? size.socket + size.events : 0, subscribers: size?.subscriptions ?? 0 }
}

/** The time at which the store was last backed up; 0 without a backup, null if unknown. */
function backupMs(dataDir: string): number | null {
  const seconds = markSeconds(dataDir, BACKUP_MARK_FILE)
  return seconds === null ? null : Math.round(seconds * 1000)
}

function fileSizeBytes(path: string): number {
  return path.startsWith(':memory:') ? 0 : Bun.file(path).size
}

type ActAccessOptions = Pick<
  OperatorOptions,
  | 'startedAtMs'
  | 'gateway'
  | 'voucherService'
  | 'venue'
  | 'setLogLevel'
  | 'operatorKeys'
  | 'engines'
>

function toActAccess({ clock }: World, opened: ActAccessOptions): ActAccess {
  const { startedAtMs, gateway, voucherService, venue, setLogLevel, engines } = opened
  return {
    deps: gateway,
    setLogLevel,
    runVenueCommand: venue.embedded?.runCommand ?? null,
    pauseVouchers: voucherService && ((pause) => setPaused(voucherService.store, clock, pause)),
    status: async () => {
      const missing = await findMissingPart(gateway)
      return {
        version: BUILD_FACTS.version,
        uptimeSeconds: Math.floor((clock.nowMs() - startedAtMs) / 1000),
        venue: venue.kind,
        ready: missing === null,
        ...(missing !== null && { missing }),
        residentBytes: process.memoryUsage.rss(),
        windows: gateway.limiter.size(),
        vouchersPaused: voucherService
          ? await areVouchersStopped(voucherService.store).catch(
              defaultOnFailure('store', null, Failure),
            )
          : null,
        ...(engines.length > 0 && {
          instances: await gateway.store.traffic
            .instances()
            .catch(defaultOnFailure('store', [], Failure)),
        }),
      }
    },
  }
}

/** Actions for the holder of an operator key; null without a key. */
export function actsParts(
  settings: Settings,
  world: World,
  opened: ActAccessOptions,
): ActRouteOptions | null {
  const { operatorKeys } = opened
  if (operatorKeys().length === 0) return null
  const own = { id: process.pid, records: recordsLocation(settings) }
  return { ...toActAccess(world, opened), operatorKeys, process: own }
}
