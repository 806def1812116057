import { MINUTE_MS } from '../../contract/durations.ts'
import { LIMITS } from '../../contract/limits.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'

/** The bytes that each caller may have written to the store, by address as the rate windows count it. */
export type StoreShare = {
  /** Takes what keeping an answer of so many bytes writes; false when the caller's share is used up, and nothing is taken. */
  readonly take: (limitKey: string, bodyBytes: number, nowMs: number) => boolean
}

/** Of the share, what is there at once; the rest comes back over a minute, so that no minute sees more than all of it. */
const BURST_SHARE = 3 / 4
/** What keeping an answer costs a store. */
export type StoreCosts = {
  /** Of no use for as long, an answer is not kept. */
  readonly lifeMinMs: number
  /** What one address can have written in a minute. */
  readonly minuteMaxBytes: number
  /** The cost of a row besides its body, and of each byte of its body. */
  readonly rowBytes: number
  readonly copies: number
}

/** Of a file: the pages of the table and its indexes that a row alone in its batch touches, in the log and then in the file. */
export const DISK_COSTS: StoreCosts = {
  lifeMinMs: LIMITS.cacheDiskLifeMinMs,
  minuteMaxBytes: LIMITS.cacheDiskMinuteMaxBytes,
  rowBytes: 22 * 1024,
  copies: 2,
}

/** Shares that nobody has used yet, of at most so many addresses: the one that wrote longest ago is forgotten first. */
export function createStoreShare({ minuteMaxBytes, rowBytes, copies }: StoreCosts): StoreShare {
  const burstBytes = minuteMaxBytes * BURST_SHARE
  const bytesPerMs = (minuteMaxBytes - burstBytes) / MINUTE_MS
  const emptyAtMs = createBoundedMap<string, number>(LIMITS.cacheDiskKeysMax)

  function take(limitKey: string, bodyBytes: number, nowMs: number): boolean {
    const fullMs = burstBytes / bytesPerMs
    // Further ahead than a whole share can only mean that the clock went back.
    const debtMs = Math.min(Math.max(0, (emptyAtMs.get(limitKey) ?? 0) - nowMs), fullMs)
    const afterMs = debtMs + (rowBytes + copies * bodyBytes) / bytesPerMs
    const taken = afterMs <= fullMs
    emptyAtMs.put(limitKey, nowMs + (taken ? afterMs : debtMs))
    return taken
  }

  return { take }
}
