import { BUILD } from '../core/build-facts.ts'
import type { Clock, Upstream, World } from '../core/ports.ts'
import type { ActParts } from '../gateway/controls/acts.ts'
import type { ConsoleParts } from '../routes/console/console.ts'
import type { Recorder } from '../routes/console/recorder.ts'
import type { Settings } from '../settings/settings.ts'
import type { VoucherDesk } from '../voucher/desk.ts'
import { consoleFigures } from '../voucher/figures.ts'
import type { OpenVenue } from './venue.ts'

/** How long things take, to parts of a millisecond; it never goes back. */
const stopwatch: Clock = { nowMs: () => performance.now() }

/** Starts what the console tells of, with the venue measured. */
export async function openRecorder({ clock }: World, venue: Upstream) {
  const { createRecorder } = await import('../routes/console/recorder.ts')
  const { startSampler } = await import('../routes/console/sampler.ts')
  const { measuredUpstream } = await import('../upstream/measured.ts')
  const recorder = createRecorder(clock)
  return {
    stopwatch,
    recorder,
    upstream: measuredUpstream(venue, stopwatch, recorder.called),
    stopSampler: startSampler(recorder, stopwatch),
  }
}

type Opened = {
  /** The store's file, or `:memory:`. */
  readonly path: string
  readonly venue: OpenVenue
  readonly faults: () => number
  readonly recorder: Recorder
  readonly acts: ActParts
  readonly desk: VoucherDesk | null
}

/** What the operator's console tells of and can do. */
export function consoleParts(
  { swap, operatorKeys }: Settings,
  { clock }: World,
  { path, venue, faults, acts, recorder, desk }: Opened,
): ConsoleParts {
  return {
    ...acts,
    recorder,
    operatorKeys,
    version: BUILD.version,
    startedAtMs: clock.nowMs(),
    advance: venue.advance,
    voucherFigures: () => desk && consoleFigures(desk, clock),
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

function sizeOf(path: string): number {
  return path.startsWith(':memory:') ? 0 : Bun.file(path).size
}
