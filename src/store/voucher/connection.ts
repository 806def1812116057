import type { Database } from 'bun:sqlite'
import { openConnection } from '../connection.ts'

/**
 * The vouchers' own connection to a store's file. FULL: what is written must be on the disk, not only with the
 * kernel, before a key signs it. It waits longer for a writer than the hot path may, since it writes a few rows a
 * minute. Throws StoreNewerError.
 */
export function openVoucherDatabase(path: string): Database {
  return openConnection(path, { busyTimeoutMs: 2000, synchronous: 'FULL' })
}
