import { Database, SQLiteError } from 'bun:sqlite'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DAY_MS, HOUR_MS } from '../contract/durations.ts'
import type { AgentJournal } from '../core/agent-journal.ts'
import { type Claim, type ClaimedUse, claimsInCommit, type StoredClaim } from '../core/claim.ts'
import { Failure } from '../core/failure.ts'
import { reportUnexpected } from '../core/loop/guarded.ts'
import type { Store } from '../core/ports.ts'
import type { ReservedUse, SpendingStore } from '../core/spending.ts'
import journalSchema from './agent-journal.sql' with { type: 'text' }
import { sharedJournal } from './agent-journal.ts'
import { type SpendingTable, spendingTable } from './claims/spending.ts'
import spendingOfOrders from './claims/spending-of-orders.sql' with { type: 'text' }
import spendingOfWrites from './claims/spending-of-writes.sql' with { type: 'text' }
import spendingSums from './claims/spending-sums.sql' with { type: 'text' }
import { attemptOptional } from './connection/errors.ts'
import { hasTable } from './connection/file-facts.ts'
import { createLazyStatements, createLazyValue, type Statements } from './connection/statements.ts'

const BUSY_TIMEOUT_MS = 2000

/** State shared by the agents of one user. */
export type AgentFile = {
  readonly sentOrders: Pick<Store['once'], 'claim' | 'release' | 'find' | 'settle'>
  readonly spending: SpendingStore
  readonly agentJournal: AgentJournal
}

/**
 * Claims, spending and the journal in a file that several processes share, or in memory for ':memory:'. Each returned
 * promise resolves only after its write is durable. The first process creates the file. Throws Failure
 * `store_unavailable` if the file cannot be used.
 */
export function openAgentFile(path: string): AgentFile {
  const opened = createLazyValue(() => databaseAt(path))
  const statements = createLazyStatements(opened)
  const spending = spendingTable({
    database: statements,
    synced: statements,
    durably: async (steps) => guarded(() => statements.transaction(steps).immediate()),
    guard: guarded,
  })
  return {
    sentOrders: claimsIn(opened, spending),
    spending: withIdlePruning(statements, spending),
    agentJournal: sharedJournal(statements, guarded),
  }
}

/**
 * A key's spending is deleted `keptMs` after the key's last write. Idle keys are searched every `everyMs`. Both are
 * measured by the wall clock, because the clock of a simulated venue may stand still.
 */
const IDLE_SCOPE_LIMITS = { keptMs: 90 * DAY_MS, everyMs: HOUR_MS } as const

/** Wraps the spending table: a settlement also deletes the spending of idle keys. */
function withIdlePruning(database: Statements, spending: SpendingTable): SpendingTable {
  const idle = '(SELECT scope FROM spending GROUP BY scope HAVING max(settled_ms) <= $sinceMs)'
  const forgets = ['spending_sums', 'spending'].map((table) =>
    database.prepare<null, [{ sinceMs: number }]>(`DELETE FROM ${table} WHERE scope IN ${idle}`),
  )
  let lookedAtMs = Number.NEGATIVE_INFINITY
  return {
    ...spending,
    settle: async (write, wallMs, orders) => {
      await spending.settle(write, wallMs, orders)
      if (wallMs - lookedAtMs < IDLE_SCOPE_LIMITS.everyMs) return
      lookedAtMs = wallMs
      attemptOptional(guarded, () => {
        for (const forget of forgets) forget.run({ sinceMs: wallMs - IDLE_SCOPE_LIMITS.keptMs })
      })
    },
  }
}

function claimsIn(opened: () => Database, spending: SpendingTable): AgentFile['sentOrders'] {
  const statements = createLazyValue(() => claimStatements(opened()))

  const isTaken = ({ identity }: Claim) => statements().find.get({ identity }) !== null

  function claimWithin(claim: Claim, nowMs: number, use?: ClaimedUse): boolean | Error {
    const { expire, put } = statements()
    expire.run({ nowMs })
    if (isTaken(claim)) return false
    const refused = use ? refusalWithin(use) : null
    if (refused) return refused
    for (const { identity, expiresAtMs, record = null } of claimsInCommit(claim, use))
      put.run({ identity, expiresAtMs, record })
    return true
  }

  function refusalWithin({ ids, refusal, reservation, unseenSinceMs }: ClaimedUse): Error | null {
    const isOther = ids.some(isTaken)
    const judge = (used: ReservedUse) => refusal(used, isOther)
    return spending.reserveWithin(reservation, judge, unseenSinceMs)
  }

  function releaseWithin(identities: readonly string[]): void {
    for (const identity of identities) {
      statements().drop.run({ identity })
      spending.dropWithin(identity)
    }
  }

  return {
    claim: async (...claimed) => {
      const made = guarded(() =>
        opened()
          .transaction(claimWithin)
          .immediate(...claimed),
      )
      if (made instanceof Error) throw made
      return made
    },
    release: async (identity, ids = []) =>
      attemptOptional(guarded, () =>
        opened()
          .transaction(releaseWithin)
          .immediate([identity, ...ids.map((id) => id.identity)]),
      ),
    find: async (identity) => guarded(() => statements().find.get({ identity })),
    settle: async (identity, record) =>
      attemptOptional(guarded, () => statements().settle.run({ identity, record })),
  }
}

function databaseAt(path: string): Database {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // Mode `a` lets several processes create the file at once. SQLite gives the file's log the same permissions.
    closeSync(openSync(path, 'a', 0o600))
  }
  const database = new Database(path, { create: true, readwrite: true, strict: true })
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  database.run('PRAGMA synchronous = FULL')
  database.run(
    `CREATE TABLE IF NOT EXISTS sent_orders (
       identity TEXT PRIMARY KEY, expires_at_ms INTEGER NOT NULL, record TEXT) STRICT, WITHOUT ROWID`,
  )
  if (!hasTable(database, 'spending_sums')) makeSpending(database)
  if (!hasTable(database, 'agent_journal')) makeJournal(database)
  return database
}

function makeJournal(database: Database): void {
  const make = database.transaction(() => {
    // A concurrent process may have created the table.
    if (!hasTable(database, 'agent_journal')) database.run(journalSchema)
  })
  make.immediate()
}

function claimStatements(database: Database) {
  return {
    expire: database.prepare<null, [{ nowMs: number }]>(
      'DELETE FROM sent_orders WHERE expires_at_ms <= $nowMs',
    ),
    put: database.prepare<null, [{ identity: string } & StoredClaim]>(
      `INSERT INTO sent_orders (identity, expires_at_ms, record)
       VALUES ($identity, $expiresAtMs, $record)`,
    ),
    drop: database.prepare<null, [{ identity: string }]>(
      'DELETE FROM sent_orders WHERE identity = $identity',
    ),
    find: database.prepare<StoredClaim, [{ identity: string }]>(
      `SELECT expires_at_ms AS expiresAtMs, record FROM sent_orders WHERE identity = $identity`,
    ),
    settle: database.prepare<null, [{ identity: string; record: string }]>(
      'UPDATE sent_orders SET record = $record WHERE identity = $identity',
    ),
  }
}

/** Runs the work. Turns an error of SQLite or the system into Failure `store_unavailable`. */
function guarded<Value>(run: () => Value): Value {
  try {
    return run()
  } catch (error) {
    reportUnexpected('store', error, SQLiteError, 'system')
    throw new Failure('store_unavailable', undefined, { cause: error })
  }
}

/** Creates the spending table, or migrates an earlier one. If several processes start, the first does it. */
function makeSpending(database: Database): void {
  const make = () => {
    if (!hasTable(database, 'spending')) database.run(spendingOfWrites)
    if (!hasTable(database, 'spending_order')) database.run(spendingOfOrders)
    if (!hasTable(database, 'spending_sums')) database.run(spendingSums)
  }
  database.transaction(make).immediate()
}
