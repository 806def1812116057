import { LIMITS } from '../../contract/limits.ts'
import {
  type Claim,
  type ClaimedUse,
  type ClaimStore,
  claimsInCommit,
  type StoredClaim,
} from '../../core/claim.ts'
import { toHex } from '../../core/hex.ts'
import { defaultOnFailure, reportUnexpected } from '../../core/loop/guarded.ts'
import type { Random } from '../../core/ports.ts'
import type { ReservedUse } from '../../core/spending.ts'
import { statement } from '../../store/connection/statement.ts'
import type { Session } from './connection.ts'
import { awaitPostgres, PostgresError } from './errors.ts'
import type { Fence } from './fence.ts'
import { type DatabaseLosses, isLost } from './history.ts'
import { type OwnClaims, RELEASE_CLAIMS } from './own-claims.ts'
import { guardedQueries, type Link, PRIORITY_CALLER } from './primary-queries.ts'
import { standbyNames } from './server.ts'
import { LOCK, reserveIn } from './spending.ts'
import { SIGNED_CLAIMS, UNIQUE_CLAIMS } from './stats.ts'

type ClaimValues = {
  readonly identity: string
  readonly attempt: string
  readonly expiresAtMs: number
}

/**
 * Idempotent per attempt. If it is repeated after a lost answer, it finds the row of the first run and returns a number
 * again.
 */
const CLAIM = statement<Numbered, ClaimValues & { record: string | null }>(
  `INSERT INTO prepd_claims (identity, attempt, expires_at, record, is_of_earlier)
    VALUES ($identity, $attempt, to_timestamp($expiresAtMs::float8 / 1000), $record, false)
    ON CONFLICT (identity) DO UPDATE SET attempt = excluded.attempt, expires_at = excluded.expires_at,
      record = excluded.record, is_of_earlier = false, number = DEFAULT
    WHERE prepd_claims.expires_at <= now() OR prepd_claims.attempt = excluded.attempt
    RETURNING number`,
)
/** Claims a signed write. Also checks `prepd_claims`, where an earlier version stores the claims of signed writes. */
const CLAIM_SIGNED = statement<Numbered, ClaimValues>(
  `INSERT INTO prepd_signed_claims (identity, expires_ms, slot, attempt)
    SELECT $identity, $expiresAtMs::bigint, prepd_claim_slot($expiresAtMs), $attempt
    WHERE NOT EXISTS (SELECT FROM prepd_claims
      WHERE identity = $identity AND attempt <> $attempt AND expires_at > now())
    ON CONFLICT (identity, expires_ms, slot) DO UPDATE SET number = DEFAULT
    WHERE prepd_signed_claims.attempt = excluded.attempt
    RETURNING number`,
)
const SETTLE = statement<object, { identity: string; record: string }>(
  'UPDATE prepd_claims SET record = $record WHERE identity = $identity',
)
const EXPIRES = `(extract(epoch FROM expires_at) * 1000)::float8 AS "expiresAtMs"`
const SIGNED_EXPIRES = `expires_ms::float8 AS "expiresAtMs"`
/** UNION removes duplicates: a claim made by an earlier version is in both tables. */
const LIST = statement<Pick<Claim, 'identity' | 'expiresAtMs'>, { rowsMax: number }>(
  `SELECT identity, ${EXPIRES} FROM prepd_claims
    UNION SELECT identity, ${SIGNED_EXPIRES} FROM ${SIGNED_CLAIMS}
    ORDER BY "expiresAtMs" DESC LIMIT $rowsMax`,
)
const COUNT = statement<{ count: number }>(
  `SELECT (SELECT count(*) FROM ${UNIQUE_CLAIMS}) + (SELECT count(*) FROM ${SIGNED_CLAIMS}) AS count`,
)
const FIND = statement<StoredClaim, { identity: string }>(
  `SELECT ${EXPIRES}, record FROM prepd_claims WHERE identity = $identity
    UNION ALL SELECT ${SIGNED_EXPIRES}, NULL FROM prepd_signed_claims WHERE identity = $identity
    LIMIT 1`,
)

/**
 * Drops the signed claims of past minutes. Every instance now refuses their signatures as too old. Locks
 * `prepd_lineage` before any partition, in the same order as a deletion of claims.
 */
export const DROP_SIGNED = statement<{ gone: number }>(
  `WITH numbers AS MATERIALIZED (SELECT 1 FROM prepd_lineage FOR UPDATE)
    SELECT prepd_drop_signed_claims(${LIMITS.claimLifeMaxMs + LIMITS.engineSkewMaxMs}) AS gone FROM numbers`,
)

const ATTEMPT_BYTES = 12

type PostgresClaimsOptions = {
  readonly link: Link
  readonly own: OwnClaims
  readonly random: Random
  readonly fence: Pick<Fence, 'assertConfirmed' | 'cover' | 'note'>
  /** The times at which the server lost records. */
  readonly losses: () => DatabaseLosses
}

/** Identities that can be claimed once across all instances. Expiry follows PostgreSQL's clock. */
export function postgresClaims(parts: PostgresClaimsOptions): ClaimStore {
  const { own } = parts
  const link: Link = { ...parts.link, ...parts.link.using('claims') }
  const claim = createClaimFunction({ ...parts, link })
  const { rows, row } = guardedQueries(link)
  // Releases and outcomes go ahead of other queries: until a write's outcome is stored, a repeat is answered as
  // unknown.
  const ahead = parts.link.using('claims', PRIORITY_CALLER)

  async function release(made: readonly { identity: string; attempt: string }[]): Promise<void> {
    try {
      const identities = made.map(({ identity }) => identity)
      await ahead.ask(RELEASE_CLAIMS, { identities, attempts: made.map(({ attempt }) => attempt) })
    } catch (error) {
      reportUnexpected('store', error, PostgresError)
      for (const { identity, attempt } of made) own.releaseLater(identity, attempt)
    }
  }

  return {
    claim: (...wanted) => awaitPostgres(claim(...wanted)),
    release: async (identity, ids = []) => {
      const all = [identity, ...ids.map((id) => id.identity)]
      const made = all.flatMap((each) => {
        const attempt = own.drop(each)
        return attempt === null ? [] : [{ identity: each, attempt }]
      })
      if (made.length > 0) await release(made)
    },
    list: async (rowsMax) => {
      const newest = await rows(LIST, { rowsMax })
      return { count: (await row(COUNT, {}))?.count ?? 0, rows: newest }
    },
    find: (identity) => row(FIND, { identity }),
    settle: async (identity, record) => {
      own.settle(identity, record)
      await ahead
        .ask(SETTLE, { identity, record })
        .catch(defaultOnFailure('store', undefined, PostgresError))
    },
  }
}

/**
 * Returns a function that claims a write's identities. The function throws PostgresError, or the refusal that
 * `use.refusal` returns.
 */
function createClaimFunction({
  link,
  own,
  random,
  fence,
  losses,
}: PostgresClaimsOptions): ClaimStore['claim'] {
  return async (wanted, nowMs, use) => {
    assertClock(link)
    fence.assertConfirmed()
    const attempt = toHex(random.bytes(ATTEMPT_BYTES))
    const all = claimsInCommit(wanted, use)
    const asked = link.using('claims', wanted)
    const ask = (endsMs: number) =>
      use
        ? asked.transact(
            (session) => claimWithReservation(session, wanted, attempt, use, losses()),
            endsMs,
          )
        : claimIn(asked, wanted, attempt, endsMs)
    const releaseLater = () => {
      for (const { identity } of all) own.releaseLater(identity, attempt)
    }
    const number = await claimAtCurrentServer(link, ask, releaseLater)
    if (number === null) return false
    fence.note({ claims: number })
    await fence
      .cover(all, nowMs, () => standbyNames(link))
      .catch((error: unknown) => {
        releaseLater()
        throw error
      })
    // The row stays, so that a repeat is refused as well.
    if (isLost(wanted, losses())) return false
    for (const { identity, expiresAtMs, isSigned = false, record = null } of all)
      own.add(identity, { attempt, expiresAtMs, isSigned, record })
    if (use) own.reserve(use.reservation)
    return true
  }
}

/**
 * Throws PostgresError if PostgreSQL's clock and this instance's clock differ too much. A claim's expiry is set by the
 * instance's clock and checked by PostgreSQL's clock.
 */
function assertClock({ health }: Link): void {
  if (Math.abs(health.clockSkewMs() ?? 0) >= LIMITS.engineSkewMaxMs)
    throw new PostgresError('refused', false, false)
}

type Numbers = Awaited<ReturnType<typeof claimIn>>

/**
 * Repeats the claim until the current server answers. Returns the claim's number, or null if a different attempt holds
 * the identity. Throws PostgresError when the time is up.
 */
async function claimAtCurrentServer(
  link: Link,
  ask: (endsMs: number) => Promise<Numbers>,
  releaseLater: () => void,
): Promise<number | null> {
  const endsMs = link.endsMs()
  let isSent = false
  try {
    for (;;) {
      const answer = await answerUnlessLost(link, () => ask(endsMs))
      if (answer !== null) return firstNumber(answer)
      isSent = true
    }
  } catch (error) {
    // The server may have stored the rows despite the error. A later tick deletes these rows.
    if (isSent || (error instanceof PostgresError && error.isSent)) releaseLater()
    throw error
  }
}

/**
 * Claims the identities of a write and reserves the write's use of limits. If `refusal` returns a refusal, throws it,
 * and the transaction rolls back.
 */
async function claimWithReservation(
  session: Session,
  wanted: Claim,
  attempt: string,
  { ids, reservation, refusal, unseenSinceMs }: ClaimedUse,
  losses: DatabaseLosses,
): Promise<Numbers> {
  await session.ask(LOCK, { scope: reservation.scope })
  let last = await claimIn(session, wanted, attempt)
  // An earlier write may have been sent, so its outcome is unknown, even if the limits would refuse it now.
  if (last.count === 0 || isLost(wanted, losses)) return last
  let isTaken = false
  for (const id of ids) {
    const answer = await claimIn(session, id, attempt)
    isTaken ||= answer.count === 0 || isLost(id, losses)
    if (answer.count > 0) last = answer
  }
  const judge = (used: ReservedUse) => refusal(used, isTaken)
  const refused = await reserveIn(session, reservation, judge, { unseenSinceMs, ...losses })
  if (refused) throw refused
  return last
}

/**
 * The answer of PostgreSQL; null if the server was lost. The server's successor may lack the rows that the server
 * confirmed.
 */
async function answerUnlessLost<Answer>(
  link: Link,
  ask: () => Promise<Answer>,
): Promise<Answer | null> {
  const generation = link.generation()
  try {
    const answer = await ask()
    return generation === link.generation() ? answer : null
  } catch (error) {
    if (error instanceof PostgresError && error.fault === 'lost') return null
    throw error
  }
}

type Numbered = { readonly number: number }

/** Claims one identity. Returns a row with its number, or no row if a different attempt holds the identity. */
function claimIn(
  { ask }: Pick<Link, 'ask'>,
  { identity, expiresAtMs, isSigned, record = null }: Claim,
  attempt: string,
  endsMs?: number,
) {
  const claiming = { identity, attempt, expiresAtMs }
  return isSigned
    ? ask(CLAIM_SIGNED, claiming, endsMs)
    : ask(CLAIM, { ...claiming, record }, endsMs)
}

function firstNumber({ rows }: Numbers): number | null {
  const [row] = rows
  return row ? row.number : null
}
