import type { EntityChange, EntityStore } from '../core/ports.ts'
import type { Statements } from './connection/statements.ts'
import { paged } from './paged.ts'
import type { Trouble } from './trouble.ts'

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
  return {
    kinds: () => guard(() => kinds.all()).map(({ kind }) => kind),
    load: (kind) => paged((after, rowsMax) => guard(() => page.all({ kind, after, rowsMax }))),
    commit: (changes) => guard(() => commit(changes)),
  }
}
