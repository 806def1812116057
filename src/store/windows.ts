import type { Store, StoredWindow } from '../core/ports.ts'
import type { TableAccess } from './connection/statements.ts'
import { paged } from './paged.ts'

/** Rate windows. A save is one transaction. */
export function windowTable({ database, guard }: TableAccess): Store['windows'] {
  const page = database.prepare<StoredWindow, [{ nowMs: number; after: string; rowsMax: number }]>(
    `SELECT key, at_ms AS atMs FROM windows WHERE key > $after AND at_ms > $nowMs
     ORDER BY key LIMIT $rowsMax`,
  )
  const put = database.prepare<null, [{ key: string; atMs: number }]>(
    `INSERT INTO windows (key, at_ms) VALUES ($key, $atMs)
     ON CONFLICT (key) DO UPDATE SET at_ms = excluded.at_ms`,
  )
  const save = database.transaction((windows: readonly StoredWindow[]) => {
    for (const { key, atMs } of windows) put.run({ key, atMs })
  })
  return {
    load: (nowMs) => paged((after, rowsMax) => guard(() => page.all({ nowMs, after, rowsMax }))),
    save: (windows) => guard(() => save(windows)),
  }
}
