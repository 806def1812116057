import { MINUTE_MS } from '../../contract/durations.ts'
import { LIMITS } from '../../contract/limits.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'

/** Limits the bytes that each caller can cause to be written to the store. Callers are counted by address, as for rate limits. */
export type StoreShare = {
  /** Charges the cost of storing an answer of `bodyBytes`. Returns false without a charge if the caller's share is used up. */
  readonly take: (limitKey: string, bodyBytes: number, nowMs: number) => boolean
}

/** The part of the share that is available at once. It refills at a rate that keeps every minute within the whole share. */
const BURST_SHARE = 3 / 4
/** The costs of storing an answer. */
export type StoreCosts = {
  /** Minimum useful time of a stored answer. */
  readonly lifeMinMs: number
  /** Maximum bytes written per minute for one address. */
  readonly minuteMaxBytes: number
  /** Bytes written per row in addition to the body, and written copies of the body. */
  readonly rowBytes: number
  readonly copies: number
}

/**
 * The costs of an SQLite file. A batch of one row still writes whole pages of the table and its indexes, first to the
 * log and then to the file.
 */
export const DISK_COSTS: StoreCosts = {
  lifeMinMs: LIMITS.cacheDiskLifeMinMs,
  minuteMaxBytes: LIMITS.cacheDiskMinuteMaxBytes,
  rowBytes: 22 * 1024,
  copies: 2,
}

/**
 * Creates shares of at most `cacheDiskKeysMax` addresses, initially full. The address that wrote longest ago is evicted
 * first.
 */
export function createStoreShare({ minuteMaxBytes, rowBytes, copies }: StoreCosts): StoreShare {
  const burstBytes = minuteMaxBytes * BURST_SHARE
  const bytesPerMs = (minuteMaxBytes - burstBytes) / MINUTE_MS
  const emptyAtMs = createBoundedMap<string, number>(LIMITS.cacheDiskKeysMax)

  function take(limitKey: string, bodyBytes: number, nowMs: number): boolean {
    const fullMs = burstBytes / bytesPerMs
    // A debt above a whole share means that the clock went back.
    const debtMs = Math.min(Math.max(0, (emptyAtMs.get(limitKey) ?? 0) - nowMs), fullMs)
    const afterMs = debtMs + (rowBytes + copies * bodyBytes) / bytesPerMs
    const taken = afterMs <= fullMs
    emptyAtMs.put(limitKey, nowMs + (taken ? afterMs : debtMs))
    return taken
  }

  return { take }
}
