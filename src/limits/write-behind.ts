import type { Clock, Store } from '../core/ports.ts'
import type { WindowTable } from './window-table.ts'

/** How rate windows outlive the process. */
export type WriteBehind = {
  /**
   * Looks at up to `rowsMax` windows that changed and writes those still in debt; answers how many it wrote. Call it
   * each second, and with Infinity before stopping. What could not be written is tried again; the error is thrown.
   */
  readonly flush: (rowsMax: number) => number
  /** Takes up the stored windows still in debt; answers how many. */
  readonly load: () => number
}

type Parts = {
  readonly clock: Clock
  readonly store: Store['windows']
  readonly table: WindowTable
  readonly keysMax: number
}

/** What is written of a table of windows. */
export function createWriteBehind({ clock, store, table, keysMax }: Parts): WriteBehind {
  function flush(rowsMax: number): number {
    const nowMs = clock.nowMs()
    table.sweepNext(nowMs)
    const rows = table.takeChanged(rowsMax, nowMs)
    if (rows.length === 0) return 0
    try {
      store.save(rows)
    } catch (error) {
      for (const { key } of rows) table.shardOf(key).markChanged(key)
      throw error
    }
    return rows.length
  }

  function load(): number {
    const nowMs = clock.nowMs()
    let loaded = 0
    for (const { key, atMs } of store.load(nowMs)) {
      if (!table.shardOf(key).set(key, atMs, nowMs)) continue
      loaded += 1
      if (loaded >= keysMax) break
    }
    return loaded
  }

  return { flush, load }
}
