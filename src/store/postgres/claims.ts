import { toHex } from '../../core/hex.ts'
import { expected, orElse } from '../../core/loop/guarded.ts'
import type { Claim, MadeClaim, Random, Store } from '../../core/ports.ts'
import { LIMITS } from '../../spec/limits.ts'
import type { Statement } from './connection.ts'
import type { Fence } from './fence.ts'
import type { Link } from './link.ts'
import type { OwnClaims } from './own-claims.ts'
import { guarded, PostgresError } from './trouble.ts'

/** Asked again after a lost answer, it finds its own row by the attempt, and is answered as the first time. */
const CLAIM: Statement = {
  name: 'claim',
  text: `INSERT INTO prepd_claims (identity, attempt, expires_at, record)
    VALUES ($1, $2, to_timestamp($3::float8 / 1000), $4)
    ON CONFLICT (identity) DO UPDATE SET attempt = excluded.attempt, expires_at = excluded.expires_at,
      record = excluded.record, number = DEFAULT
    WHERE prepd_claims.expires_at <= now() OR prepd_claims.attempt = excluded.attempt
    RETURNING number::float8 AS number`,
}
const RELEASE: Statement = {
  name: 'release claim',
  text: 'DELETE FROM prepd_claims WHERE identity = $1 AND attempt = $2',
}
const SETTLE: Statement = {
  name: 'settle claim',
  text: 'UPDATE prepd_claims SET record = $2 WHERE identity = $1',
}
const EXPIRES = `(extract(epoch FROM expires_at) * 1000)::float8 AS "expiresAtMs"`
const LIST: Statement = {
  name: 'list claims',
  text: `SELECT identity, ${EXPIRES} FROM prepd_claims ORDER BY expires_at DESC LIMIT $1`,
}
const COUNT: Statement = {
  name: 'count claims',
  text: 'SELECT count(*)::int AS count FROM prepd_claims',
}
const FIND: Statement = {
  name: 'find claim',
  text: `SELECT ${EXPIRES}, record FROM prepd_claims WHERE identity = $1`,
}

const ATTEMPT_BYTES = 12

type Parts = {
  readonly link: Link
  readonly own: OwnClaims
  readonly random: Random
  readonly fence: Pick<Fence, 'assertConfirmed' | 'confirm' | 'note'>
  /** The highest timestamp that a claim in a lost commit of the server can have had. */
  readonly lostAtMs: () => number
}

/** Identities that may be claimed once by any instance, on the clock of the engine. */
export function claimTable({ own, random, fence, lostAtMs, ...parts }: Parts): Store['once'] {
  const link: Link = { ...parts.link, ...parts.link.using('claims') }

  /**
   * Asks until it is answered by the server that is there then: the number of the claim, or null where it is another's.
   * Throws PostgresError when the time is up.
   */
  async function won(wanted: Claim, attempt: string): Promise<number | null> {
    const { identity, expiresAtMs, record = null } = wanted
    const values = [identity, attempt, expiresAtMs, record]
    const endsMs = link.endsMs()
    const ask = () => link.ask<{ number: number }>(CLAIM, values, endsMs)
    let isSent = false
    try {
      for (;;) {
        const answer = await answered(link, ask)
        if (answer !== null) return numberOf(answer)
        isSent = true
      }
    } catch (error) {
      // Not before the last question: what is doubted is deleted.
      if (isSent || (error instanceof PostgresError && error.isSent)) own.doubt(identity, attempt)
      throw error
    }
  }

  async function claim(wanted: Claim, nowMs: number): Promise<boolean> {
    if (Math.abs(link.health.clockSkewMs() ?? 0) >= LIMITS.engineSkewMaxMs)
      throw new PostgresError('refused', false, false)
    fence.assertConfirmed()
    const attempt = toHex(random.bytes(ATTEMPT_BYTES))
    const number = await won(wanted, attempt)
    if (number === null) return false
    const { identity, sinceMs, expiresAtMs, record = null } = wanted
    fence.note({ claims: number, signedMs: sinceMs })
    if (sinceMs > nowMs) await publish({ fence, own }, identity, attempt)
    // The row stays: whoever asks next gets the same answer.
    if (sinceMs <= lostAtMs()) return false
    own.add(identity, { attempt, expiresAtMs, record })
    return true
  }

  return {
    claim: (wanted, nowMs) => guarded(claim(wanted, nowMs)),
    release: async (identity) => {
      const attempt = own.drop(identity)
      if (attempt === null) return
      try {
        await link.ask(RELEASE, [identity, attempt])
      } catch (error) {
        expected('store', error, PostgresError)
        own.doubt(identity, attempt)
      }
    },
    list: (rowsMax) => guarded(listed(link, rowsMax)),
    find: async (identity) => {
      const { rows } = await guarded(link.ask<MadeClaim>(FIND, [identity]))
      return rows[0] ?? null
    },
    settle: async (identity, record) => {
      own.settle(identity, record)
      await link.ask(SETTLE, [identity, record]).catch(orElse('store', undefined, PostgresError))
    },
  }
}

/** Null where the server was lost: what it may have answered, the next one may not know. */
async function answered<Answer>(link: Link, ask: () => Promise<Answer>): Promise<Answer | null> {
  const generation = link.generation()
  try {
    const answer = await ask()
    return generation === link.generation() ? answer : null
  } catch (error) {
    if (error instanceof PostgresError && error.fault === 'lost') return null
    throw error
  }
}

/** Makes the timestamp of a claim, which lies ahead of the time, known outside of the database before anything is sent. */
async function publish(
  { fence, own }: Pick<Parts, 'fence' | 'own'>,
  identity: string,
  attempt: string,
): Promise<void> {
  try {
    await fence.confirm()
  } catch (error) {
    own.doubt(identity, attempt)
    throw error
  }
}

function numberOf({ rows }: { readonly rows: readonly { number: number }[] }): number | null {
  const [row] = rows
  return row ? row.number : null
}

async function listed(link: Link, rowsMax: number) {
  const { rows } = await link.ask<Pick<Claim, 'identity' | 'expiresAtMs'>>(LIST, [rowsMax])
  const counted = await link.ask<{ count: number }>(COUNT)
  return { count: counted.rows[0]?.count ?? 0, rows }
}
