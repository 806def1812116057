import { createBoundedMap } from '../../core/bounded-map.ts'
import type { MadeClaim } from '../../core/ports.ts'
import { LIMITS } from '../../spec/limits.ts'
import type { Session, Statement } from './connection.ts'

/** A claim that this instance made, and how it is known as its own. */
type OwnClaim = MadeClaim & { readonly attempt: string }

/** What this instance has claimed, and what it may have: memory that outlives any server. */
export type OwnClaims = {
  readonly add: (identity: string, claim: OwnClaim) => void
  /** Forgets a claim; answers whose it was. */
  readonly drop: (identity: string) => string | null
  /** Replaces the record of a claim; one of another instance is left alone. */
  readonly settle: (identity: string, record: string) => void
  /** A claim that nobody answered and nothing was sent for: its row has to go wherever it turns up. */
  readonly doubt: (identity: string, attempt: string) => void
  /** Claims again at a server what it may have lost, before anything else is asked of it. Answers how many it had lost. */
  readonly assert: (session: Session) => Promise<number>
  /** Takes back what was doubted and has turned up. */
  readonly release: (session: Pick<Session, 'ask'>, nowMs: number) => Promise<void>
  /** Forgets what has expired. */
  readonly sweep: (nowMs: number) => void
}

const ASSERT: Statement = {
  name: 'assert claims',
  text: `INSERT INTO prepd_claims (identity, attempt, expires_at, record)
    SELECT identity, attempt, to_timestamp(at_ms / 1000), record
    FROM unnest($1::text[], $2::text[], $3::float8[], $4::text[])
      AS own (identity, attempt, at_ms, record)
    ON CONFLICT (identity) DO NOTHING`,
}
const RELEASE: Statement = {
  name: 'release claims',
  text: `DELETE FROM prepd_claims USING unnest($1::text[], $2::text[]) AS own (identity, attempt)
    WHERE prepd_claims.identity = own.identity AND prepd_claims.attempt = own.attempt`,
}

/** For as long a server may still do what it was asked for before its connection ended. */
const DOUBT_MS = 10_000

type Doubt = { readonly identity: string; readonly untilMs: number }

export function createOwnClaims(nowMs: () => number): OwnClaims {
  const own = createBoundedMap<string, OwnClaim>(LIMITS.ownClaimsMax)
  const doubts = createBoundedMap<string, Doubt>(LIMITS.ownClaimsMax)

  async function assert(session: Session): Promise<number> {
    const rows = [...own.entries()]
    if (rows.length === 0) return 0
    const { count } = await session.ask(ASSERT, [
      rows.map(([identity]) => identity),
      rows.map(([, { attempt }]) => attempt),
      rows.map(([, { expiresAtMs }]) => expiresAtMs),
      rows.map(([, { record }]) => record),
    ])
    return count
  }

  async function release(session: Pick<Session, 'ask'>, atMs: number): Promise<void> {
    const rows = [...doubts.entries()]
    if (rows.length === 0) return
    await session.ask(RELEASE, [
      rows.map(([, { identity }]) => identity),
      rows.map(([attempt]) => attempt),
    ])
    for (const [attempt, { untilMs }] of rows) if (untilMs <= atMs) doubts.drop(attempt)
  }

  return {
    add: (identity, claim) => own.put(identity, claim),
    drop: (identity) => {
      const attempt = own.get(identity)?.attempt ?? null
      own.drop(identity)
      return attempt
    },
    settle: (identity, record) => {
      const claim = own.get(identity)
      if (claim) own.put(identity, { ...claim, record })
    },
    doubt: (identity, attempt) => doubts.put(attempt, { identity, untilMs: nowMs() + DOUBT_MS }),
    assert,
    release,
    sweep: (atMs) => {
      for (const [identity, { expiresAtMs }] of own.entries())
        if (expiresAtMs <= atMs) own.drop(identity)
    },
  }
}
