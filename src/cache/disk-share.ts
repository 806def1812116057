import { createBoundedMap } from '../core/bounded-map.ts'
import { LIMITS } from '../spec/limits.ts'

/** What each caller may have written to the disk, by address as the rate windows count it. */
export type DiskShare = {
  /** Takes what keeping an answer of so many bytes writes; false when the caller's share is used up, and nothing is taken. */
  readonly take: (limitKey: string, bodyBytes: number, nowMs: number) => boolean
}

/** Of the share, what is there at once; the rest comes back over a minute, so that no minute sees more than all of it. */
const BURST_SHARE = 3 / 4
const MINUTE_MS = 60_000
/** Pages of the table and its indexes that a row alone in its batch touches, in the log and then in the file. */
const ROW_BYTES = 22 * 1024

/** Shares that nobody has used yet, of at most so many addresses: the one that wrote longest ago is forgotten first. */
export function createDiskShare(
  minuteMaxBytes: number = LIMITS.cacheDiskMinuteMaxBytes,
): DiskShare {
  const burstBytes = minuteMaxBytes * BURST_SHARE
  const bytesPerMs = (minuteMaxBytes - burstBytes) / MINUTE_MS
  const emptyAtMs = createBoundedMap<string, number>(LIMITS.cacheDiskKeysMax)

  function take(limitKey: string, bodyBytes: number, nowMs: number): boolean {
    const fullMs = burstBytes / bytesPerMs
    // Further ahead than a whole share can only mean that the clock went back.
    const debtMs = Math.min(Math.max(0, (emptyAtMs.get(limitKey) ?? 0) - nowMs), fullMs)
    const afterMs = debtMs + (ROW_BYTES + 2 * bodyBytes) / bytesPerMs
    const taken = afterMs <= fullMs
    emptyAtMs.put(limitKey, nowMs + (taken ? afterMs : debtMs))
    return taken
  }

  return { take }
}
