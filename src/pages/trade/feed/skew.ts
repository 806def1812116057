import { signal } from '@preact/signals'

export type SkewClocks = {
  readonly nowMs: () => number
  /** The server's time of an uncached answer, to the second; null if it cannot be read. */
  readonly serverMs: () => Promise<number | null>
  readonly after: (ms: number, work: () => void) => void
}

/** Minimum offset that counts. */
const SKEW_FROM_MS = 60_000
/** Maximum round trip of a sample. A longer one says too little, such as after the device slept. */
const ROUND_TRIP_MAX_MS = 5000
const AGREE_MS = 2000
const SAMPLES_MAX = 4
/** Interval of measurements while an offset counts, so that it ends once the clock is right. */
const AGAIN_MS = 20_000
/** Minimum time between two hints that are followed. */
const HINT_EVERY_MS = 5000

/**
 * Compares clocks by requests alone. An offset counts when two samples agree, and ends as soon as a later sample is
 * within the tolerance.
 */
export function createSkew({ nowMs, serverMs, after }: SkewClocks) {
  /** The lead of this device's clock over the server's, in milliseconds, on which two samples agree; else 0. */
  const offsetMs = signal(0)
  let isMeasuring = false
  let isResting = false

  async function sample(): Promise<number | null> {
    const beforeMs = nowMs()
    const foundMs = await serverMs().catch(() => null)
    const afterMs = nowMs()
    const isUsable = afterMs >= beforeMs && afterMs - beforeMs <= ROUND_TRIP_MAX_MS
    // The server rounds its time down to the second.
    return foundMs === null || !isUsable ? null : (beforeMs + afterMs) / 2 - (foundMs + 500)
  }

  /** Measures now, unless that is under way. */
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
    /** Takes a time that may be late, such as that of a message. A large difference is only a reason to measure. */
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

/**
 * An offset on which two samples in a row agree; zero as soon as one sample is within the tolerance; null otherwise.
 */
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
