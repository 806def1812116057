import type { EntityChange, EntityStore } from '../core/ports.ts'
import type { Statements } from './connection/statements.ts'
import { attempt, type Trouble } from './connection/trouble.ts'
import { paged } from './paged.ts'

/** After so much text the log is put into the file: by itself SQLite waits for ten times as much, and takes as long. */
const LOGGED_MAX_CHARS = 400_000

/** Entities by kind and key. A commit is one transaction: all of it, or nothing. */
export function entityTable(database: Statements, guard: Trouble['guard']): EntityStore {
  const page = database.prepare<
    { key: string; json: string },
    [{ kind: string; after: string; rowsMax: number }]
  >(
    `SELECT key, json FROM entities WHERE kind = $kind AND key > $after
     ORDER BY key LIMIT $rowsMax`,
  )
  const put = database.prepare<null, [{ kind: string; key: string; json: string }]>(
    `INSERT INTO entities (kind, key, json) VALUES ($kind, $key, $json)
     ON CONFLICT (kind, key) DO UPDATE SET json = excluded.json`,
  )
  const drop = database.prepare<null, [{ kind: string; key: string }]>(
    'DELETE FROM entities WHERE kind = $kind AND key = $key',
  )
  const kinds = database.prepare<{ kind: string }, []>('SELECT DISTINCT kind FROM entities')
  const commit = database.transaction((changes: readonly EntityChange[]) => {
    for (const { kind, key, json } of changes) {
      if (json === null) drop.run({ kind, key })
      else put.run({ kind, key, json })
    }
  })
  const checkpoint = database.prepare<unknown, []>('PRAGMA wal_checkpoint(PASSIVE)')
  let loggedChars = 0

  function noteLogged(changes: readonly EntityChange[]): void {
    for (const { json } of changes) loggedChars += json?.length ?? 0
    if (loggedChars < LOGGED_MAX_CHARS) return
    loggedChars = 0
    attempt(guard, () => checkpoint.all())
  }

  return {
    kinds: () => guard(() => kinds.all()).map(({ kind }) => kind),
    load: (kind, pageRows) =>
      paged((after, rowsMax) => guard(() => page.all({ kind, after, rowsMax })), pageRows),
    commit: (changes) => {
      guard(() => commit(changes))
      noteLogged(changes)
    },
  }
}
