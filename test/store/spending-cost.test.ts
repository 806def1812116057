// Slow: a million rows are written and brought over.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../src/core/ports.ts'
import { migrateTo } from '../../src/store/connection/migrations.ts'
import { openSqlite } from '../../src/store/sqlite.ts'

const DAY_MS = 86_400_000
const EARLIER_ROWS = 1_000_000
const WRITES = 150
const NOW_MS = 2 * DAY_MS

/** The version of a store before it had sums. */
const WITHOUT_SUMS = 16

/** Writes a store of that version: orders of two scopes, spread over the last day. */
function fill(path: string): void {
  using database = new Database(path, { create: true, strict: true })
  database.run('PRAGMA synchronous = OFF')
  migrateTo(database, WITHOUT_SUMS)
  add(database, 'one', 1)
  add(database, 'million', EARLIER_ROWS)
}

function add(database: Database, scope: string, rows: number): void {
  database.run(
    `WITH RECURSIVE n (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM n WHERE at < ${rows - 1})
     INSERT INTO spending (scope, at_ms, identity, ordinal, symbol, micros, orders, settled_ms)
     SELECT '${scope}', ${NOW_MS} - (${DAY_MS} - 1) * at / ${rows}, 'earlier ' || at, 0, 'PERP_ETH_USDC', 5, 1, 0
     FROM n`,
  )
}

/** Milliseconds of one write: its sums, its rows, its outcome. */
async function costMs({ spending }: Store, scope: string, at: number): Promise<number> {
  const beganMs = performance.now()
  const uses = Array.from({ length: 10 }, () => ({ symbol: 'X', micros: 1n, orders: 1 }))
  const write = { scope, identity: `${scope} ${at}` }
  const refused = await spending.reserve({ ...write, atMs: NOW_MS, uses }, () => null, 0)
  await spending.settle(write, NOW_MS)
  expect(refused).toBeNull()
  return performance.now() - beganMs
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN
}

test('a write costs about the same after one order and after a million of the same day', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'prepd-spending-'))
  const path = join(folder, 'prepd.sqlite')
  fill(path)
  const store = openSqlite(path, NOW_MS)
  try {
    expect(await store.spending.used('million', NOW_MS)).toMatchObject({ dayOrders: EARLIER_ROWS })
    const costs = { one: [0].slice(1), million: [0].slice(1) }
    for (let at = 0; at < WRITES; at += 1)
      for (const scope of ['one', 'million'] as const)
        costs[scope].push(await costMs(store, scope, at))
    // Sums of 1,441 minutes are read where one is read otherwise.
    expect(median(costs.million) / median(costs.one)).toBeLessThan(3)
  } finally {
    store.close()
    rmSync(folder, { recursive: true })
  }
})
