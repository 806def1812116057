import { DAY_MS } from '../../contract/durations.ts'
import { LIMITS } from '../../contract/limits.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import type { StoredClaim } from '../../core/claim.ts'
import type { AheadClaim } from '../../core/engines/database.ts'
import type { Reservation, ReservedWrite } from '../../core/spending.ts'
import { reservedRows } from '../../store/claims/spending-statements.ts'
import { statement } from '../../store/connection/statement.ts'
import type { Session } from './connection.ts'

/** A claim that this instance made. The attempt identifies the claim's row as a row of this instance. */
type OwnClaim = StoredClaim & { readonly attempt: string; readonly isSigned: boolean }

/** The claims that this instance has made or may have made. They are kept in memory, so they survive the loss of a server. */
export type OwnClaims = {
  readonly add: (identity: string, claim: OwnClaim) => void
  /** Forgets a claim. Returns its attempt; null without a claim. */
  readonly drop: (identity: string) => string | null
  /** Keeps the reservation of a claimed write for a day. */
  readonly reserve: (reservation: Reservation) => void
  /** Forgets the reservations of a write's refused orders, given by their positions in the write. */
  readonly refuse: (identity: string, refused: readonly number[]) => void
  /** Forgets the reservation of a write. */
  readonly giveBack: (write: ReservedWrite) => void
  /**
   * Remembers to delete the rows of a reservation once PostgreSQL is back. The identity of that write is never reserved
   * again.
   */
  readonly releaseReservedLater: (write: ReservedWrite) => void
  /** Replaces the record of a claim, if this instance made the claim. */
  readonly settle: (identity: string, record: string) => void
  /** Remembers to delete the row of an attempt once PostgreSQL is back. The write of the attempt was not sent. */
  readonly releaseLater: (identity: string, attempt: string) => void
  /** Inserts own claims that a new server lacks, before any other query runs on it. Returns the number of inserted claims. */
  readonly assert: (session: Session) => Promise<number>
  /** Deletes the remembered rows. */
  readonly release: (session: Pick<Session, 'ask'>, nowMs: number) => Promise<void>
  /** Forgets expired claims. */
  readonly sweep: (nowMs: number) => void
}

/** Claims as two lists of the same length: identities, and the attempts that made the claims. */
type Attempts = { readonly identities: readonly string[]; readonly attempts: readonly string[] }
type Held = Attempts & { readonly times: readonly number[] }

/** The attempt of claims that are never released, such as published claims. */
const KEPT_ATTEMPT = 'published'

/*
 * Both statements lock only the rows that they write, in the order of their identities, so that concurrent instances do
 * not deadlock. An older copy of a database may contain a row whose attempt was released since. The claim takes over
 * that row, because a second release of the old attempt would otherwise free the identity.
 */

/** Skips expired claims, since a newer claim of the same identity may be valid. */
const ASSERT = statement<object, Held & { records: readonly (string | null)[] }>(
  `INSERT INTO prepd_claims AS held (identity, attempt, expires_at, record, is_of_earlier)
    SELECT DISTINCT ON (identity) identity, attempt, ends_at, record, false
    FROM unnest($identities::text[], $attempts::text[], $times::float8[], $records::text[])
      AS own (identity, attempt, at_ms, record), to_timestamp(at_ms / 1000) AS ends_at
    WHERE ends_at > now() AND NOT EXISTS (SELECT FROM prepd_claims AS present
      WHERE present.identity = own.identity AND present.attempt = own.attempt AND present.expires_at >= ends_at)
    ORDER BY identity, ends_at DESC
    ON CONFLICT (identity) DO UPDATE SET number = DEFAULT, is_of_earlier = false,
      attempt = CASE WHEN held.expires_at > excluded.expires_at THEN '${KEPT_ATTEMPT}' ELSE excluded.attempt END,
      expires_at = greatest(held.expires_at, excluded.expires_at),
      record = coalesce(excluded.record, held.record)`,
)
const ASSERT_SIGNED = statement<object, Held>(
  `INSERT INTO prepd_signed_claims (identity, attempt, expires_ms, slot)
    SELECT DISTINCT ON (identity, expires_ms) identity, attempt, expires_ms, prepd_claim_slot(expires_ms)
    FROM unnest($identities::text[], $attempts::text[], $times::bigint[])
      AS own (identity, attempt, expires_ms)
    WHERE NOT EXISTS (SELECT FROM prepd_signed_claims AS present
      WHERE present.identity = own.identity AND present.expires_ms = own.expires_ms
        AND present.slot = prepd_claim_slot(own.expires_ms) AND present.attempt = own.attempt)
    ORDER BY identity, expires_ms
    ON CONFLICT (identity, expires_ms, slot) DO UPDATE SET attempt = excluded.attempt, number = DEFAULT`,
)
/** `rows`: the rows of reservations, as JSON. */
const ASSERT_RESERVED = statement<object, { rows: string }>(
  `INSERT INTO prepd_spending (scope, at_ms, identity, ordinal, symbol, micros, orders, settled_ms)
    SELECT * FROM json_to_recordset($rows) AS own (scope text, "atMs" bigint, identity text,
      ordinal int, symbol text, micros numeric, orders int, "settledMs" bigint)
    ON CONFLICT DO NOTHING`,
)
/** Inserts published claims that a server lacks: their writes may have been sent. */
export async function assertPublished(
  session: Session,
  claims: readonly AheadClaim[],
): Promise<void> {
  const rows = (isSigned: boolean) => {
    const some = claims.filter((claim) => claim.isSigned === isSigned)
    const held = (claim: AheadClaim) => ({ ...claim, attempt: KEPT_ATTEMPT, record: null })
    return some.map((claim): [string, OwnClaim] => [claim.identity, held(claim)])
  }
  await assertRows(session, rows(true), rows(false))
}

/** Deletes the claims of these attempts, with their reservations. */
export const RELEASE_CLAIMS = statement<object, Attempts>(
  `WITH own AS (
      SELECT * FROM unnest($identities::text[], $attempts::text[]) AS own (identity, attempt)),
    gone AS (
      DELETE FROM prepd_claims USING own
      WHERE prepd_claims.identity = own.identity AND prepd_claims.attempt = own.attempt
      RETURNING prepd_claims.identity),
    signed AS (
      DELETE FROM prepd_signed_claims USING own
      WHERE prepd_signed_claims.identity = own.identity AND prepd_signed_claims.attempt = own.attempt
      RETURNING prepd_signed_claims.identity)
    DELETE FROM prepd_spending
    WHERE identity IN (SELECT identity FROM gone UNION SELECT identity FROM signed)`,
)
const RELEASE_RESERVED = statement<object, { scopes: string[]; identities: string[] }>(
  `DELETE FROM prepd_spending USING unnest($scopes::text[], $identities::text[]) AS own (scope, identity)
    WHERE prepd_spending.scope = own.scope AND prepd_spending.identity = own.identity`,
)

/** PostgreSQL may finish a statement for this long after its connection closed. */
const FINISHING_MAX_MS = 10_000

type Unreleased = { readonly identity: string; readonly untilMs: number }

type HeldReservation = { readonly reservation: Reservation; readonly atMs: number }

export function createOwnClaims(nowMs: () => number): OwnClaims {
  const own = createBoundedMap<string, OwnClaim>(LIMITS.ownClaimsMax)
  // The rows to delete, by attempt and identity. One attempt claims the write and each of its order ids.
  const unreleased = createBoundedMap<string, Unreleased & { readonly attempt: string }>(
    LIMITS.ownClaimsMax,
  )
  const reserved = createReserved(nowMs)

  async function assert(session: Session): Promise<number> {
    await reserved.assert(session)
    const rows = [...own.entries()]
    const signed = rows.filter(([, claim]) => claim.isSigned)
    const others = rows.filter(([, claim]) => !claim.isSigned)
    return assertRows(session, signed, others)
  }

  async function release(session: Pick<Session, 'ask'>, atMs: number): Promise<void> {
    await reserved.release(session, atMs)
    const rows = [...unreleased.entries()]
    if (rows.length === 0) return
    await session.ask(RELEASE_CLAIMS, {
      identities: rows.map(([, { identity }]) => identity),
      attempts: rows.map(([, { attempt }]) => attempt),
    })
    for (const [key, { untilMs }] of rows) if (untilMs <= atMs) unreleased.drop(key)
  }

  return {
    add: (identity, claim) => own.put(identity, claim),
    reserve: reserved.hold,
    refuse: reserved.refuse,
    giveBack: reserved.drop,
    releaseReservedLater: reserved.releaseLater,
    drop: (identity) => {
      const attempt = own.get(identity)?.attempt ?? null
      own.drop(identity)
      reserved.drop({ identity })
      return attempt
    },
    settle: (identity, record) => {
      const claim = own.get(identity)
      if (claim) own.put(identity, { ...claim, record })
    },
    releaseLater: (identity, attempt) =>
      unreleased.put(`${attempt} ${identity}`, {
        ...{ identity, attempt, untilMs: nowMs() + FINISHING_MAX_MS },
      }),
    assert,
    release,
    sweep: (atMs) => {
      reserved.sweep()
      for (const [identity, { expiresAtMs }] of own.entries())
        if (expiresAtMs <= atMs) own.drop(identity)
    },
  }
}

type Rows = readonly (readonly [string, OwnClaim])[]

/** Inserts the claims that a server lacks. Returns their number. */
async function assertRows(session: Session, signed: Rows, others: Rows): Promise<number> {
  const records = others.map(([, { record }]) => record)
  const counts = [
    signed.length > 0 ? await session.ask(ASSERT_SIGNED, claimColumns(signed)) : NONE,
    others.length > 0 ? await session.ask(ASSERT, { ...claimColumns(others), records }) : NONE,
  ]
  return counts.reduce((sum, { count }) => sum + count, 0)
}

const NONE = { count: 0 }

function claimColumns(rows: Rows): Held {
  return {
    identities: rows.map(([identity]) => identity),
    attempts: rows.map(([, { attempt }]) => attempt),
    times: rows.map(([, { expiresAtMs }]) => expiresAtMs),
  }
}

/** Reservations of this instance's claimed writes. `nowMs` is a monotonic clock. */
function createReserved(nowMs: () => number) {
  const held = createBoundedMap<string, HeldReservation>(LIMITS.ownReservationsMax)
  const unreleased = createBoundedMap<string, Unreleased & ReservedWrite>(LIMITS.ownReservationsMax)
  const drop = ({ identity }: Pick<ReservedWrite, 'identity'>) => held.drop(identity)

  return {
    hold: (reservation: Reservation) =>
      held.put(reservation.identity, { reservation, atMs: nowMs() }, reservation.uses.length),
    drop,
    refuse: (identity: string, refused: readonly number[]) => {
      const own = held.get(identity)
      if (!own || refused.length === 0) return
      const left = own.reservation.uses.map((use, at) =>
        refused.includes(at) ? { ...use, micros: 0n, orders: 0 } : use,
      )
      const reservation = { ...own.reservation, uses: left }
      held.put(identity, { ...own, reservation }, left.length)
    },
    releaseLater: (write: ReservedWrite) =>
      unreleased.put(write.identity, { ...write, untilMs: nowMs() + FINISHING_MAX_MS }),
    assert: async (session: Session): Promise<void> => {
      const rows = [...held.entries()].flatMap(([, { reservation }]) => reservedRows(reservation))
      const texts = rows.map((row) => ({ ...row, micros: String(row.micros) }))
      if (rows.length > 0) await session.ask(ASSERT_RESERVED, { rows: JSON.stringify(texts) })
    },
    release: async (session: Pick<Session, 'ask'>, atMs: number): Promise<void> => {
      const rows = [...unreleased.entries()].map(([, write]) => write)
      if (rows.length === 0) return
      const scopes = rows.map(({ scope }) => scope)
      const identities = rows.map(({ identity }) => identity)
      await session.ask(RELEASE_RESERVED, { scopes, identities })
      for (const { identity, untilMs } of rows) if (untilMs <= atMs) unreleased.drop(identity)
    },
    sweep: () => {
      const sinceMs = nowMs() - DAY_MS
      for (const [identity, { atMs }] of held.entries())
        if (atMs <= sinceMs) held.drop(identity)
        else break
    },
  }
}
