import { BUILD } from '../core/build-facts.ts'
import type { EngineHealth } from '../core/engines/health.ts'
import { Failure } from '../core/failure.ts'
import type { LogLevel } from '../core/log.ts'
import { orElse } from '../core/loop/guarded.ts'
import type { Meter } from '../core/observing/meter.ts'
import type { Clock, World } from '../core/ports.ts'
import type { ActParts } from '../gateway/acts.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { unready } from '../gateway/ready.ts'
import type { ConsoleParts } from '../routes/console/console.ts'
import { engineFigures } from '../routes/console/engines.ts'
import type { Recorder } from '../routes/console/recorder.ts'
import type { ActsParts } from '../routes/operator/acts.ts'
import type { OpenStream } from '../routes/stream.ts'
import { recordsAt } from '../settings/engines.ts'
import type { Settings } from '../settings/settings.ts'
import type { StreamSize } from '../stream/stream.ts'
import { setPaused } from '../voucher/pause.ts'
import type { VoucherService } from '../voucher/service.ts'
import type { OpenVenue, WholeVenue } from './venue-port.ts'

type Opened = {
  readonly startedAtMs: number
  /** The store's file, or `:memory:`. */
  readonly path: string
  readonly venue: WholeVenue
  readonly faults: () => number
  readonly recorder: Recorder
  readonly acts: ActParts
  readonly voucherService: VoucherService | null
  readonly engines: readonly EngineHealth[]
  readonly meter: Meter
  readonly live: { readonly open: OpenStream | null; readonly size: () => StreamSize | null }
  readonly operatorKeys: () => readonly string[]
}

/** What the operator's console shows and can do. */
export function consoleParts(
  { swap }: Settings,
  { clock }: World,
  {
    startedAtMs,
    path,
    venue,
    faults,
    acts,
    recorder,
    voucherService,
    engines,
    meter,
    live,
    operatorKeys,
  }: Opened,
): ConsoleParts {
  return {
    ...acts,
    recorder,
    operatorKeys,
    version: BUILD.version,
    startedAtMs,
    advance: venue.advance,
    streams: live.open && (() => streamFigures(live.size())),
    engineFigures: () => engineFigures(engines, meter),
    voucherFigures: async () =>
      voucherService && voucherFigures(voucherService, clock).catch(orElse('store', null, Failure)),
    swap: swap.at === null ? 'off' : swap.at === 'embedded' ? 'embedded' : 'live',
    storeSizes: () => ({ fileBytes: sizeOf(path), logBytes: sizeOf(`${path}-wal`) }),
    venue: {
      kind: venue.kind,
      nowMs: venue.clock.nowMs,
      isVirtual: venue.advance !== null,
      faults,
    },
  }
}

/** Where there are no vouchers, nothing of them is loaded. */
async function voucherFigures(voucherService: VoucherService, clock: Clock) {
  const { consoleFigures } = await import('../voucher/figures.ts')
  return consoleFigures(voucherService, clock)
}

/** Nobody has listened before the first who asks. */
function streamFigures(size: StreamSize | null) {
  return { open: size ? size.socket + size.events : 0, subscribers: size?.subscriptions ?? 0 }
}

function sizeOf(path: string): number {
  return path.startsWith(':memory:') ? 0 : Bun.file(path).size
}

type ActsOpened = {
  readonly startedAtMs: number
  readonly deps: Gateway
  readonly voucherService: VoucherService | null
  readonly venue: Pick<OpenVenue, 'kind'>
  readonly setLogLevel: (level: LogLevel) => void
}

/** What the operator can look at and do. */
export function actParts(
  { clock }: World,
  { startedAtMs, deps, voucherService, venue, setLogLevel }: ActsOpened,
): ActParts {
  return {
    deps,
    setLogLevel,
    pauseVouchers: voucherService && ((pause) => setPaused(voucherService.store, clock, pause)),
    status: async () => {
      const missing = await unready(deps)
      return {
        version: BUILD.version,
        uptimeSeconds: Math.floor((clock.nowMs() - startedAtMs) / 1000),
        venue: venue.kind,
        ready: missing === null,
        ...(missing !== null && { missing }),
        residentBytes: process.memoryUsage.rss(),
        windows: deps.limiter.size(),
        vouchersPaused: voucherService
          ? await voucherService.store.isPaused().catch(orElse('store', null, Failure))
          : null,
      }
    },
  }
}

/** The same for whoever bears a key; null where there is none. */
export function guarded(
  parts: ActParts,
  settings: Settings,
  operatorKeys: () => readonly string[],
): ActsParts | null {
  const own = { id: process.pid, records: recordsAt(settings) }
  return operatorKeys().length > 0 ? { ...parts, operatorKeys, process: own } : null
}
