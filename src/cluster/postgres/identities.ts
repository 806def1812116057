import { LIMITS } from '../../contract/limits.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import { Failure } from '../../core/failure.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import type { Store } from '../../core/ports.ts'
import type { AccountKey } from '../../core/standby.ts'
import { statement } from '../../store/connection/statement.ts'
import { proofStatements } from '../../store/identities.ts'
import { guardedQueries, type Link, type Queries } from './primary-queries.ts'

const PUT_NONCE = statement<object, { nonce: string; expiresAtMs: number }>(
  `INSERT INTO prepd_nonces (nonce, expires_at)
    VALUES ($nonce, to_timestamp($expiresAtMs::float8 / 1000))
    ON CONFLICT (nonce) DO UPDATE SET expires_at = excluded.expires_at`,
)
const TAKE_NONCE = statement<object, { nonce: string }>(
  'DELETE FROM prepd_nonces WHERE nonce = $nonce AND expires_at > now()',
)
const LIST_NONCES = statement<{ nonce: string; expiresAtMs: number }, { rowsMax: number }>(
  `SELECT nonce, (extract(epoch FROM expires_at) * 1000)::float8 AS "expiresAtMs"
    FROM prepd_nonces ORDER BY expires_at DESC LIMIT $rowsMax`,
)
const COUNT_NONCES = statement<{ count: number }>('SELECT count(*) AS count FROM prepd_nonces')
const CLEAR_NONCES = statement('DELETE FROM prepd_nonces')

/** Registration nonces: issued by one instance, used up at any. Expiry follows PostgreSQL's clock. */
export function postgresNonces({ rows, row, change }: Queries): Store['nonces'] {
  return {
    issue: async (nonce, expiresAtMs) => void (await change(PUT_NONCE, { nonce, expiresAtMs })),
    burn: async (nonce) => (await change(TAKE_NONCE, { nonce })) === 1,
    release: async (nonce, expiresAtMs) =>
      void (await change(PUT_NONCE, { nonce, expiresAtMs }).catch(
        defaultOnFailure('store', 0, Failure),
      )),
    list: async (rowsMax) => {
      const newest = await rows(LIST_NONCES, { rowsMax })
      return { count: (await row(COUNT_NONCES, {}))?.count ?? 0, rows: newest }
    },
    purge: () => change(CLEAR_NONCES, {}),
  }
}

const PROOFS = proofStatements('prepd_proofs')
const PUT_PROOF = statement<object, AccountKey & { nowMs: number }>(
  `INSERT INTO prepd_proofs (account_id, public_key, proven_at)
    VALUES ($accountId, $publicKey, to_timestamp($nowMs::float8 / 1000)) ON CONFLICT DO NOTHING`,
)

/**
 * How long a cached proof is used without a query. Within this time, a different instance may learn that the proof has
 * ended.
 */
const PROOF_CACHE_MS = 10_000

/**
 * Pairs of account and key that the venue has accepted. A recently seen pair needs no query. While PostgreSQL is away,
 * any pair seen before counts as accepted.
 */
export function postgresProofs(link: Link, monotonicMs: () => number): Store['proofs'] {
  const { row, change } = guardedQueries(link)
  const seen = createBoundedMap<string, number>(LIMITS.verifierKeysMax)

  function isSeen(pair: string): boolean {
    const atMs = seen.get(pair)
    return atMs !== undefined && (monotonicMs() - atMs < PROOF_CACHE_MS || !link.health.isUp())
  }

  return {
    has: async (accountId, publicKey) => {
      const pair = `${accountId} ${publicKey}`
      if (isSeen(pair)) return true
      try {
        const isKnown = (await row(PROOFS.find, { accountId, publicKey })) !== null
        if (isKnown) seen.put(pair, monotonicMs())
        else seen.drop(pair)
        return isKnown
      } catch (error) {
        if (error instanceof Failure && seen.get(pair) !== undefined) return true
        throw error
      }
    },
    add: async (accountId, publicKey, nowMs) => {
      await change(PUT_PROOF, { accountId, publicKey, nowMs })
      seen.put(`${accountId} ${publicKey}`, monotonicMs())
    },
    remove: async (accountId, publicKey) => {
      seen.drop(`${accountId} ${publicKey}`)
      await change(PROOFS.drop, { accountId, publicKey })
    },
  }
}
