import { MINUTE_MS } from '../../contract/durations.ts'
import { LIMITS } from '../../contract/limits.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'

/** The bytes that each caller may have written to the store, by address as the rate windows count it. */
export type StoreShare = {
  /**
   * Takes the bytes that storing an answer of `bodyBytes` writes. False, without taking any, when the caller's share is
   * used up.
   */
  readonly take: (limitKey: string, bodyBytes: number, nowMs: number) => boolean
}

/**
 * The part of the share that is available at once. The rest comes back over a minute, so that a minute never sees more
 * than the whole share.
 */
const BURST_SHARE = 3 / 4
/** The costs of storing an answer. */
export type StoreCosts = {
  /** Minimum useful time of a stored answer. */
  readonly lifeMinMs: number
  /** Maximum bytes that one address can have written per minute. */
  readonly minuteMaxBytes: number
  /** The cost of a row besides its body, and of each byte of its body. */
  readonly rowBytes: number
  readonly copies: number
}

/**
 * The costs of a file. A row alone in its batch touches pages of the table and its indexes, first in the log and then
 * in the file.
 */
export const DISK_COSTS: StoreCosts = {
  lifeMinMs: LIMITS.cacheDiskLifeMinMs,
  minuteMaxBytes: LIMITS.cacheDiskMinuteMaxBytes,
  rowBytes: 22 * 1024,
  copies: 2,
}

/**
 * Shares of at most `cacheDiskKeysMax` addresses, all full at first. The address that wrote longest ago is forgotten
 * first.
 */
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
