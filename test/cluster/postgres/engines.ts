import type { SharedStore } from '../../../src/cluster/postgres/store.ts'
import type { DatabaseRegistry } from '../../../src/core/engines/database.ts'
import { testsNeeding } from '../../programs.ts'
import { type SharedPostgres, sharedPostgres } from '../postgres.ts'
import { openInstance } from '../valkey/fixture.ts'
import { type RunningValkey, startValkey, VALKEY_PROGRAMS } from '../valkey.ts'
import { openAt } from './instance.ts'

/**
 * The engines of a file's tests, with the functions of bun:test that need them: PostgreSQL, and a Valkey that each test
 * finds empty. Functions that a test adds to `ends` run after the test, the last one first.
 */
export function useEngines(subject: string) {
  const { afterAll, afterEach, beforeAll, describe, test } = testsNeeding(
    subject,
    ...VALKEY_PROGRAMS,
  )
  let server: SharedPostgres
  let valkey: RunningValkey
  beforeAll(async () => {
    ;[server, valkey] = await Promise.all([sharedPostgres(), startValkey()])
  })
  const ends: (() => unknown)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end()
    await valkey.cli('flushall')
  })
  afterAll(() => valkey.stop())

  /** What another instance remembers in Valkey. */
  async function newRegistry(): Promise<DatabaseRegistry> {
    const { valkey: opened } = await openInstance(valkey.url)
    ends.push(opened.close)
    return opened.registry
  }

  async function open(url: string, registry: DatabaseRegistry | null): Promise<SharedStore> {
    const store = await openAt(url, { registry })
    ends.push(store.close)
    return store
  }

  return { describe, test, ends, newRegistry, open, server: () => server, valkey: () => valkey }
}
