import type { Database } from 'bun:sqlite'
import { Failure } from '../core/failure.ts'
import type { Store } from '../core/ports.ts'
import type { GroupCommit } from './group-commit.ts'
import type { Trouble } from './trouble.ts'

type Expiring = { readonly expiresAtMs: number }

type Guard = Trouble['guard']

/** Registration nonces: written when issued, gone when burnt. Only what is burnt must never come back. */
export function nonceTable(
  database: Database,
  { durably }: Pick<GroupCommit, 'durably'>,
  guard: Guard,
): Store['nonces'] {
  const put = database.prepare<null, [{ nonce: string } & Expiring]>(
    `INSERT INTO nonces (nonce, expires_at_ms) VALUES ($nonce, $expiresAtMs)
     ON CONFLICT (nonce) DO UPDATE SET expires_at_ms = excluded.expires_at_ms`,
  )
  const take = database.prepare<null, [{ nonce: string; nowMs: number }]>(
    'DELETE FROM nonces WHERE nonce = $nonce AND expires_at_ms > $nowMs',
  )
  const newest = database.prepare<{ nonce: string } & Expiring, [{ rowsMax: number }]>(
    `SELECT nonce, expires_at_ms AS expiresAtMs FROM nonces
     ORDER BY expires_at_ms DESC LIMIT $rowsMax`,
  )
  const count = counter(database, 'nonces')
  const clear = database.prepare<null, []>('DELETE FROM nonces')
  return {
    issue: async (nonce, expiresAtMs) => void guard(() => put.run({ nonce, expiresAtMs })),
    burn: (nonce, nowMs) => durably(() => take.run({ nonce, nowMs }).changes === 1),
    release: async (nonce, expiresAtMs) => attempt(guard, () => put.run({ nonce, expiresAtMs })),
    list: async (rowsMax) => guard(() => ({ count: count(), rows: newest.all({ rowsMax }) })),
    purge: () => durably(() => clear.run().changes),
  }
}

/** How many rows a table has. */
function counter(database: Database, table: 'nonces' | 'claims'): () => number {
  const count = database.prepare<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${table}`)
  return () => count.get()?.rows ?? 0
}

/** Does what may as well not be done where the store is in trouble. */
function attempt(guard: Guard, work: () => unknown): void {
  try {
    guard(work)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
  }
}

/** Identities that may be claimed once. One statement decides, so two claims cannot both win. */
export function claimTable(
  database: Database,
  { durably, lostAtMs }: Pick<GroupCommit, 'durably' | 'lostAtMs'>,
  guard: Guard,
): Store['once'] {
  const put = database.prepare<null, [{ identity: string; nowMs: number } & Expiring]>(
    `INSERT INTO claims (identity, expires_at_ms) VALUES ($identity, $expiresAtMs)
     ON CONFLICT (identity) DO UPDATE SET expires_at_ms = excluded.expires_at_ms
     WHERE claims.expires_at_ms <= $nowMs`,
  )
  const drop = database.prepare<null, [{ identity: string }]>(
    'DELETE FROM claims WHERE identity = $identity',
  )
  type Row = { readonly identity: string } & Expiring
  const newest = database.prepare<Row, [{ rowsMax: number }]>(
    `SELECT identity, expires_at_ms AS expiresAtMs FROM claims
     ORDER BY expires_at_ms DESC LIMIT $rowsMax`,
  )
  const find = database.prepare<Expiring, [{ identity: string }]>(
    'SELECT expires_at_ms AS expiresAtMs FROM claims WHERE identity = $identity',
  )
  const count = counter(database, 'claims')
  return {
    claim: async ({ identity, sinceMs, expiresAtMs }, nowMs) => {
      if (sinceMs <= lostAtMs) return false
      return durably(() => put.run({ identity, expiresAtMs, nowMs }).changes === 1)
    },
    release: async (identity) => attempt(guard, () => drop.run({ identity })),
    list: async (rowsMax) => guard(() => ({ count: count(), rows: newest.all({ rowsMax }) })),
    find: async (identity) => guard(() => find.get({ identity })?.expiresAtMs ?? null),
  }
}

/** Pairs of account and key that the venue has accepted. */
export function proofTable(database: Database, guard: Guard): Store['proofs'] {
  type Pair = { accountId: string; publicKey: string }
  const find = database.prepare<{ found: number }, [Pair]>(
    'SELECT 1 AS found FROM proofs WHERE account_id = $accountId AND public_key = $publicKey',
  )
  const put = database.prepare<null, [Pair & { nowMs: number }]>(
    `INSERT INTO proofs (account_id, public_key, proven_at_ms) VALUES ($accountId, $publicKey, $nowMs)
     ON CONFLICT DO NOTHING`,
  )
  const drop = database.prepare<null, [Pair]>(
    'DELETE FROM proofs WHERE account_id = $accountId AND public_key = $publicKey',
  )
  return {
    has: async (accountId, publicKey) => guard(() => find.get({ accountId, publicKey }) !== null),
    add: async (accountId, publicKey, nowMs) =>
      void guard(() => put.run({ accountId, publicKey, nowMs })),
    remove: async (accountId, publicKey) => void guard(() => drop.run({ accountId, publicKey })),
  }
}
