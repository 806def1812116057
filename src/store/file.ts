import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type JournalReader, journalReader } from './agent-journal.ts'
import {
  findDamage,
  hasTable,
  named,
  openRaw,
  readFacts,
  type StoreFacts,
} from './connection/file-facts.ts'
import { lockDirectory } from './connection/instance-lock.ts'
import { createLazyStatements } from './connection/statements.ts'
import { copyInto } from './connection/upgrade.ts'
import { venueFilePath } from './connection/world.ts'

/** A store's file, which a running prepd may have open. */
export type StoreFile = {
  /** Reads every page of the store and of the embedded venue's file. Throws an Error that names a file that is not a database. */
  readonly look: () => Promise<StoreFacts>
  /**
   * Copies snapshots of the embedded venue's world, then of the store, into one new file, mode 0600, and verifies it.
   * Since a claim precedes its order, every order in the copy has its claim. Throws if the name exists, even as a
   * dangling link. An incomplete copy is removed.
   */
  readonly backup: (to: string) => Promise<StoreFacts>
  /** Reads the agents' journal of a store, or of agents over standard streams. Throws without a journal. */
  readonly readJournal: <Value>(read: (journal: JournalReader) => Promise<Value>) => Promise<Value>
  /**
   * Rewrites both files without free space. Returns the total size before and after. Throws StoreLockedError while
   * prepd runs.
   */
  readonly vacuum: () => Promise<{ readonly beforeBytes: number; readonly afterBytes: number }>
}

/** The file at a path. Throws if it does not exist. */
export function openStoreFile(path: string): StoreFile {
  if (!existsSync(path)) throw new Error(`there is no store at ${path}`)
  const files = () => [path, ...[venueFilePath(path)].filter((each) => existsSync(each))]
  return {
    look: async () => readStoreFacts(path, venueFilePath(path)),
    backup: async (to) =>
      named(path, () => {
        using source = openRaw(path)
        const [, venuePath] = files()
        return copyInto(source, to, venuePath)
      }),
    readJournal: async (read) => {
      using database = named(path, () => openRaw(path))
      if (!hasTable(database, 'agent_journal')) throw new Error(`${path} has no journal of agents`)
      return await read(journalReader(createLazyStatements(() => database)))
    },
    vacuum: async () => {
      const unlock = lockDirectory(dirname(path))
      try {
        const beforeBytes = totalFileBytes(files())
        for (const each of files()) vacuum(each)
        return { beforeBytes, afterBytes: totalFileBytes(files()) }
      } finally {
        unlock()
      }
    },
  }
}

/** The facts of a store, including damage of the venue's file. */
function readStoreFacts(path: string, venuePath: string): StoreFacts {
  const facts = readFacts(path)
  if (!existsSync(venuePath)) return facts
  const venueDamage = findDamage(venuePath)
  const damage = facts.damage ?? (venueDamage && `${venuePath}: ${venueDamage}`)
  return { ...facts, damage, venueBytes: statSync(venuePath).size }
}

function totalFileBytes(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + statSync(path).size, 0)
}

function vacuum(path: string): void {
  using database = openRaw(path)
  database.run('VACUUM')
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
}
