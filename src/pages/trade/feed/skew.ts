import { signal } from '@preact/signals'

export type SkewClocks = {
  readonly nowMs: () => number
  /** Reads the server's time, in whole seconds, from an uncached answer; null if that fails. */
  readonly serverMs: () => Promise<number | null>
  readonly after: (ms: number, work: () => void) => void
}

/** Offsets below this are ignored. */
const SKEW_FROM_MS = 60_000
/** Maximum round trip of a sample. A longer round trip is too inexact, for example after the device slept. */
const ROUND_TRIP_MAX_MS = 5000
const AGREE_MS = 2000
const SAMPLES_MAX = 4
/** Measuring interval while an offset is reported, so that the offset ends once the clock is right. */
const AGAIN_MS = 20_000
/** Minimum time between two hints that are followed. */
const HINT_EVERY_MS = 5000

/**
 * Measures the clock offset to the server by requests. An offset counts when two samples agree, and ends when a later
 * sample is within the tolerance.
 */
export function createSkew({ nowMs, serverMs, after }: SkewClocks) {
  /** How far this device's clock is ahead of the server's, in ms, confirmed by two samples; otherwise 0. */
  const offsetMs = signal(0)
  let isMeasuring = false
  let isResting = false

  async function sample(): Promise<number | null> {
    const beforeMs = nowMs()
    const foundMs = await serverMs().catch(() => null)
    const afterMs = nowMs()
    const isUsable = afterMs >= beforeMs && afterMs - beforeMs <= ROUND_TRIP_MAX_MS
    // 500 ms are added, because the server rounds its time down to the second.
    return foundMs === null || !isUsable ? null : (beforeMs + afterMs) / 2 - (foundMs + 500)
  }

  /** Measures now, unless a measurement is running. */
  async function measure(): Promise<void> {
    if (isMeasuring) return
    isMeasuring = true
    const found = await agreed(sample)
    isMeasuring = false
    if (found !== null) offsetMs.value = Math.abs(found) > SKEW_FROM_MS ? found : 0
    if (offsetMs.peek() !== 0) after(AGAIN_MS, () => void measure())
  }

  return {
    offsetMs,
    measure,
    /**
     * Takes a server time that may be late, such as the time of a message. A large difference only triggers a
     * measurement.
     */
    hint: (foundMs: number) => {
      const isOff = Math.abs(nowMs() - foundMs - offsetMs.peek()) > SKEW_FROM_MS
      if (!isOff || isResting) return
      isResting = true
      after(HINT_EVERY_MS, () => {
        isResting = false
      })
      void measure()
    },
  }
}

/** The offset on which two consecutive samples agree; zero once a sample is within the tolerance; otherwise null. */
async function agreed(sample: () => Promise<number | null>): Promise<number | null> {
  let last: number | null = null
  for (let count = 0; count < SAMPLES_MAX; count += 1) {
    const found = await sample()
    if (found === null) continue
    if (Math.abs(found) <= SKEW_FROM_MS) return 0
    if (last !== null && Math.abs(found - last) <= AGREE_MS) return found
    last = found
  }
  return null
}
