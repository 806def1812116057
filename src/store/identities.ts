import { LIMITS } from '../contract/limits.ts'
import { createBoundedMap } from '../core/bounded-map.ts'
import type { Store } from '../core/ports.ts'
import type { AccountKey } from '../core/standby.ts'
import { attemptOptional } from './connection/errors.ts'
import { statement } from './connection/statement.ts'
import type { TableAccess } from './connection/statements.ts'

type Expiring = { readonly expiresAtMs: number }

/** Registration nonces: inserted when issued, deleted when used. Only the deletion must be durable. */
export function nonceTable({ synced: database, durably, guard }: TableAccess): Store['nonces'] {
  const put = database.prepare<null, [{ nonce: string } & Expiring]>(
    `INSERT INTO nonces (nonce, expires_at_ms) VALUES ($nonce, $expiresAtMs)
     ON CONFLICT (nonce) DO UPDATE SET expires_at_ms = excluded.expires_at_ms`,
  )
  const take = database.prepare<Expiring, [{ nonce: string; nowMs: number }]>(
    `DELETE FROM nonces WHERE nonce = $nonce AND expires_at_ms > $nowMs
     RETURNING expires_at_ms AS expiresAtMs`,
  )
  const newest = database.prepare<{ nonce: string } & Expiring, [{ rowsMax: number }]>(
    `SELECT nonce, expires_at_ms AS expiresAtMs FROM nonces
     ORDER BY expires_at_ms DESC LIMIT $rowsMax`,
  )
  const count = database.prepare<{ rows: number }, []>('SELECT count(*) AS rows FROM nonces')
  const clear = database.prepare<null, []>('DELETE FROM nonces')
  return {
    issue: async (nonce, expiresAtMs) => void guard(() => put.run({ nonce, expiresAtMs })),
    burn: async (nonce, nowMs) => {
      const taken = await durably(
        () => take.get({ nonce, nowMs }),
        (row) => row && put.run({ nonce, ...row }),
      )
      return taken !== null
    },
    release: async (nonce, expiresAtMs) =>
      attemptOptional(guard, () => put.run({ nonce, expiresAtMs })),
    list: async (rowsMax) =>
      guard(() => ({ count: count.get()?.rows ?? 0, rows: newest.all({ rowsMax }) })),
    purge: () => durably(() => clear.run().changes),
  }
}

/** The statements shared by SQLite and PostgreSQL. */
export function proofStatements(table: 'proofs' | 'prepd_proofs') {
  const ofPair = 'account_id = $accountId AND public_key = $publicKey'
  return {
    find: statement<object, AccountKey>(`SELECT 1 FROM ${table} WHERE ${ofPair}`),
    drop: statement<object, AccountKey>(`DELETE FROM ${table} WHERE ${ofPair}`),
  }
}

const PROOFS = proofStatements('proofs')

/** Pairs of account and key that the venue has accepted, with a memory cache of the most recent pairs. */
export function proofTable({ database, guard }: TableAccess): Store['proofs'] {
  const find = database.shared(PROOFS.find)
  const put = database.prepare<null, [AccountKey & { nowMs: number }]>(
    `INSERT INTO proofs (account_id, public_key, proven_at_ms) VALUES ($accountId, $publicKey, $nowMs)
     ON CONFLICT DO NOTHING`,
  )
  const drop = database.shared(PROOFS.drop)
  const seen = createBoundedMap<string, true>(LIMITS.proofsSeenMax)
  return {
    has: async (accountId, publicKey) => {
      const pair = `${accountId} ${publicKey}`
      if (seen.get(pair)) seen.renew(pair)
      else if (guard(() => find.get({ accountId, publicKey })) === null) return false
      else seen.put(pair, true)
      return true
    },
    add: async (accountId, publicKey, nowMs) => {
      guard(() => put.run({ accountId, publicKey, nowMs }))
      seen.put(`${accountId} ${publicKey}`, true)
    },
    remove: async (accountId, publicKey) => {
      seen.drop(`${accountId} ${publicKey}`)
      guard(() => drop.run({ accountId, publicKey }))
    },
  }
}
