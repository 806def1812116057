import type { Database } from 'bun:sqlite'
import { dirname, join } from 'node:path'

/** The store's file in a data directory, and in a backup of a data directory. */
export const STORE_NAME = 'prepd.sqlite'

/** The file of the embedded venue in a data directory. */
export const VENUE_NAME = 'venue.sqlite'

/** The embedded venue's file next to a gateway's store; in memory for an in-memory store. */
export function venueFilePath(storePath: string): string {
  return storePath === ':memory:' ? storePath : join(dirname(storePath), VENUE_NAME)
}

/** Replaces the entities of a database by the entities of a file. */
export function replaceWorld(from: string, into: Database): void {
  into.run('ATTACH DATABASE ? AS source', [from])
  try {
    into.transaction(() => {
      into.run('DELETE FROM main.entities')
      into.run('INSERT INTO main.entities SELECT kind, key, json FROM source.entities')
    })()
  } finally {
    into.run('DETACH DATABASE source')
  }
}
