import type { Database } from 'bun:sqlite'
import type { Store, StoredWindow } from '../core/ports.ts'
import { paged } from './paged.ts'

/** Rate windows. A save is one transaction. */
export function windowTable(database: Database): Store['windows'] {
  const page = database.prepare<StoredWindow, [{ nowMs: number; after: string; rowsMax: number }]>(
    `SELECT key, at_ms AS atMs FROM windows WHERE key > $after AND at_ms > $nowMs
     ORDER BY key LIMIT $rowsMax`,
  )
  const put = database.prepare<null, [{ key: string; atMs: number }]>(
    `INSERT INTO windows (key, at_ms) VALUES ($key, $atMs)
     ON CONFLICT (key) DO UPDATE SET at_ms = excluded.at_ms`,
  )
  return {
    load: (nowMs) => paged((after, rowsMax) => page.all({ nowMs, after, rowsMax })),
    save: database.transaction((windows: readonly StoredWindow[]) => {
      for (const { key, atMs } of windows) put.run({ key, atMs })
    }),
  }
}
