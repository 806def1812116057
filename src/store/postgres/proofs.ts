import { createBoundedMap } from '../../core/bounded-map.ts'
import type { Store } from '../../core/ports.ts'
import { LIMITS } from '../../spec/limits.ts'
import type { Statement } from './connection.ts'
import type { Link } from './link.ts'
import { guarded } from './trouble.ts'

const FIND: Statement = {
  name: 'find proof',
  text: 'SELECT 1 FROM prepd_proofs WHERE account_id = $1 AND public_key = $2',
}
const PUT: Statement = {
  name: 'put proof',
  text: `INSERT INTO prepd_proofs (account_id, public_key, proven_at)
    VALUES ($1, $2, to_timestamp($3::float8 / 1000)) ON CONFLICT DO NOTHING`,
}
const DROP: Statement = {
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
      const { count } = await guarded(ask(FIND, [accountId, publicKey]))
      if (count === 1) seen.put(pair, monotonicMs())
      else seen.drop(pair)
      return count === 1
    },
    add: async (accountId, publicKey, nowMs) => {
      await guarded(ask(PUT, [accountId, publicKey, nowMs]))
      seen.put(`${accountId} ${publicKey}`, monotonicMs())
    },
    remove: async (accountId, publicKey) => {
      seen.drop(`${accountId} ${publicKey}`)
      await guarded(ask(DROP, [accountId, publicKey]))
    },
  }
}
