import { createBoundedMap } from '../../core/bounded-map.ts'
import type { Store } from '../../core/ports.ts'
import { LIMITS } from '../../spec/limits.ts'
import type { Statement } from './connection.ts'
import type { Link } from './link.ts'
import { guarded } from './trouble.ts'

const PUT_NONCE: Statement = {
  name: 'put nonce',
  text: `INSERT INTO prepd_nonces (nonce, expires_at) VALUES ($1, to_timestamp($2::float8 / 1000))
    ON CONFLICT (nonce) DO UPDATE SET expires_at = excluded.expires_at`,
}
const TAKE_NONCE: Statement = {
  name: 'take nonce',
  text: 'DELETE FROM prepd_nonces WHERE nonce = $1 AND expires_at > now()',
}
const LIST_NONCES: Statement = {
  name: 'list nonces',
  text: `SELECT nonce, (extract(epoch FROM expires_at) * 1000)::float8 AS "expiresAtMs"
    FROM prepd_nonces ORDER BY expires_at DESC LIMIT $1`,
}
const COUNT_NONCES: Statement = {
  name: 'count nonces',
  text: 'SELECT count(*)::int AS count FROM prepd_nonces',
}
const CLEAR_NONCES: Statement = { name: 'clear nonces', text: 'DELETE FROM prepd_nonces' }

type NonceRow = { readonly nonce: string; readonly expiresAtMs: number }

/** Registration nonces: issued by one instance, burnt by any, on the clock of the engine. */
export function nonceTable({ ask }: Pick<Link, 'ask'>): Store['nonces'] {
  return {
    issue: async (nonce, expiresAtMs) => void (await guarded(ask(PUT_NONCE, [nonce, expiresAtMs]))),
    burn: async (nonce) => (await guarded(ask(TAKE_NONCE, [nonce]))).count === 1,
    release: async (nonce, expiresAtMs) =>
      ask(PUT_NONCE, [nonce, expiresAtMs]).then(
        () => undefined,
        () => undefined,
      ),
    list: async (rowsMax) => {
      const { rows } = await guarded(ask<NonceRow>(LIST_NONCES, [rowsMax]))
      const counted = await guarded(ask<{ count: number }>(COUNT_NONCES))
      return { count: counted.rows[0]?.count ?? 0, rows }
    },
    purge: async () => (await guarded(ask(CLEAR_NONCES))).count,
  }
}

const FIND_PROOF: Statement = {
  name: 'find proof',
  text: 'SELECT 1 FROM prepd_proofs WHERE account_id = $1 AND public_key = $2',
}
const PUT_PROOF: Statement = {
  name: 'put proof',
  text: `INSERT INTO prepd_proofs (account_id, public_key, proven_at)
    VALUES ($1, $2, to_timestamp($3::float8 / 1000)) ON CONFLICT DO NOTHING`,
}
const DROP_PROOF: Statement = {
  name: 'drop proof',
  text: 'DELETE FROM prepd_proofs WHERE account_id = $1 AND public_key = $2',
}

/** How long a proof is believed without asking again: another instance may have learned that it ended. */
const BELIEVED_MS = 10_000

/** Pairs of account and key that the venue has accepted. One seen lately is known without asking, or while nobody answers. */
export function proofTable(
  { ask, health }: Pick<Link, 'ask' | 'health'>,
  monotonicMs: () => number,
): Store['proofs'] {
  const seen = createBoundedMap<string, number>(LIMITS.verifierKeysMax)

  function isSeen(pair: string): boolean {
    const atMs = seen.get(pair)
    return atMs !== undefined && (monotonicMs() - atMs < BELIEVED_MS || !health.isUp())
  }

  return {
    has: async (accountId, publicKey) => {
      const pair = `${accountId} ${publicKey}`
      if (isSeen(pair)) return true
      const { count } = await guarded(ask(FIND_PROOF, [accountId, publicKey]))
      if (count === 1) seen.put(pair, monotonicMs())
      else seen.drop(pair)
      return count === 1
    },
    add: async (accountId, publicKey, nowMs) => {
      await guarded(ask(PUT_PROOF, [accountId, publicKey, nowMs]))
      seen.put(`${accountId} ${publicKey}`, monotonicMs())
    },
    remove: async (accountId, publicKey) => {
      seen.drop(`${accountId} ${publicKey}`)
      await guarded(ask(DROP_PROOF, [accountId, publicKey]))
    },
  }
}
