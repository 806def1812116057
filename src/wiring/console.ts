import { BUILD } from '../core/build-facts.ts'
import type { EngineHealth } from '../core/engines/health.ts'
import type { Meter } from '../core/observing/meter.ts'
import type { Clock, Upstream, World } from '../core/ports.ts'
import type { ActParts } from '../gateway/controls/acts.ts'
import type { ConsoleParts } from '../routes/console/console.ts'
import { engineFigures } from '../routes/console/engines.ts'
import { createRecorder, type Recorder } from '../routes/console/recorder.ts'
import { startSampler } from '../routes/console/sampler.ts'
import type { OpenStream } from '../routes/stream.ts'
import type { Settings } from '../settings/settings.ts'
import type { StreamSize } from '../stream/stream.ts'
import { measuredUpstream } from '../upstream/measured.ts'
import type { VoucherDesk } from '../voucher/desk.ts'
import type { WholeVenue } from './venue/port.ts'

/** Starts what the console tells of, with the venue measured. */
export function openRecorder({ clock, monotonicMs }: World, venue: Upstream) {
  const stopwatch: Clock = { nowMs: monotonicMs }
  const recorder = createRecorder(clock)
  return {
    recorder,
    upstream: measuredUpstream(venue, stopwatch, recorder.called),
    stopSampler: startSampler(recorder, stopwatch),
  }
}

type Opened = {
  readonly startedAtMs: number
  /** The store's file, or `:memory:`. */
  readonly path: string
  readonly venue: WholeVenue
  readonly faults: () => number
  readonly recorder: Recorder
  readonly acts: ActParts
  readonly desk: VoucherDesk | null
  readonly engines: readonly EngineHealth[]
  readonly meter: Meter
  readonly live: { readonly open: OpenStream | null; readonly size: () => StreamSize | null }
  readonly operatorKeys: () => readonly string[]
}

/** What the operator's console tells of and can do. */
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
    desk,
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
    voucherFigures: async () => desk && voucherFigures(desk, clock).catch(() => null),
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
async function voucherFigures(desk: VoucherDesk, clock: Clock) {
  const { consoleFigures } = await import('../voucher/figures.ts')
  return consoleFigures(desk, clock)
}

/** Nobody has listened before the first who asks. */
function streamFigures(size: StreamSize | null) {
  return { open: size ? size.socket + size.events : 0, subscribers: size?.subscriptions ?? 0 }
}

function sizeOf(path: string): number {
  return path.startsWith(':memory:') ? 0 : Bun.file(path).size
}
