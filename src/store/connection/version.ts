import { Database } from 'bun:sqlite'

/** The version of the SQLite inside this binary. */
export function sqliteVersion(): string {
  const database = new Database(':memory:')
  try {
    const row = database.query<{ version: string }, []>('SELECT sqlite_version() AS version').get()
    return row?.version ?? 'unknown'
  } finally {
    database.close()
  }
}
