// Slow: PostgreSQL starts.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import pg from 'pg'
import { DAY_MS } from '../../../src/contract/durations.ts'
import type { Claim } from '../../../src/core/claim.ts'
import { Failure } from '../../../src/core/failure.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'
import { virtualClock } from '../virtual-clock.ts'
import { openAt } from './instance.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const MINUTE_MS = 60_000
/** What a claim outlives its signature's timestamp by. */
const LIFE_MS = 360_000
/** Minutes of claims that lie in one partition each, until the first is used again. */
const LAP_MINUTES = 16

function signedAt(signedAtMs: number): Claim {
  const identity = `signed at ${signedAtMs}`
  return { identity, sinceMs: signedAtMs, expiresAtMs: signedAtMs + LIFE_MS, isSigned: true }
}

/** An instance on a database whose clock, like its own, is that of the test. */
async function openTimed(startMs: number) {
  const url = await server.readyDatabase()
  const clock = await virtualClock(server, url, startMs)
  let nowMs = startMs
  const store = await openAt(url, { nowMs: () => nowMs })
  const ask = (text: string) => server.ask(text, new URL(url).pathname.slice(1))
  return {
    ...store,
    url,
    ask,
    at: (ms: number) => {
      nowMs = ms
      return clock.set(ms)
    },
    claim: (claim: Claim) => eventually(() => store.once.claim(claim, nowMs)),
    sweep: () => store.sweep(nowMs, 250),
    kept: async () => Number((await ask('SELECT count(*) FROM prepd_signed_claims'))[0]?.['count']),
  }
}

/** Asks again while the two clocks of the test, which are set one after the other, are seen to differ. */
async function eventually(claim: () => Promise<boolean>): Promise<boolean> {
  for (;;) {
    try {
      return await claim()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      await Bun.sleep(20)
    }
  }
}

describe('claims of signed writes', () => {
  // Slow: 200 claims and 400 repeats, each a commit.
  test('are made once on either side of every boundary, and dropped when their minute is over', async () => {
    const startMs = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS
    const timed = await openTimed(startMs)
    const made: Claim[] = []
    for (let minute = 0; minute <= LAP_MINUTES + 2; minute++) {
      const nowMs = startMs + minute * MINUTE_MS
      await timed.at(nowMs)
      const claims = [-1, 0, 1].map((byMs) => signedAt(nowMs + byMs))
      expect(await Promise.all(claims.map(timed.claim))).toEqual([true, true, true])
      made.push(...claims)
      const gone = await timed.sweep()
      const isOver = ({ expiresAtMs }: Claim) =>
        Math.floor(expiresAtMs / MINUTE_MS) < nowMs / MINUTE_MS
      const living = made.filter((claim) => !isOver(claim))
      expect(await Promise.all(living.map(timed.claim))).toEqual(living.map(() => false))
      expect(await timed.kept()).toBe(living.length)
      expect(gone).toBe(made.length - living.length)
      made.splice(0, gone)
    }
    timed.close()
  })

  test('stay while another in their partition has not ended, as after a night without any instance', async () => {
    const startMs = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS
    const timed = await openTimed(startMs)
    const old = signedAt(startMs)
    await timed.claim(old)
    const nightMs = 30 * LAP_MINUTES * MINUTE_MS
    await timed.at(startMs + nightMs)
    const living = signedAt(startMs + nightMs)
    expect(await timed.claim(living)).toBe(true)
    expect(await timed.sweep()).toBe(0)
    expect(await timed.claim(living)).toBe(false)
    await timed.at(living.expiresAtMs)
    expect(await timed.sweep()).toBe(0)
    await timed.at(living.expiresAtMs + MINUTE_MS)
    expect(await timed.sweep()).toBe(2)
    expect(await timed.kept()).toBe(0)
    timed.close()
  })

  test('stay while somebody reads them, which holds up no claim', async () => {
    const startMs = Date.now()
    const timed = await openTimed(startMs)
    const old = signedAt(startMs)
    await timed.claim(old)
    await timed.at(startMs + LIFE_MS + MINUTE_MS)
    const reader = new pg.Client({ connectionString: timed.url })
    await reader.connect()
    await reader.query('BEGIN; SELECT count(*) FROM prepd_signed_claims')
    expect(await timed.sweep()).toBe(0)
    expect(await timed.claim(signedAt(startMs + LIFE_MS + MINUTE_MS))).toBe(true)
    await reader.query('COMMIT')
    await reader.end()
    expect(await timed.sweep()).toBe(1)
    timed.close()
  })

  test('that were dropped leave their numbers, by which a database is known to be whole', async () => {
    const startMs = Date.now()
    const timed = await openTimed(startMs)
    for (const byMs of [0, 1, 2]) await timed.claim(signedAt(startMs + byMs))
    await timed.once.release(signedAt(startMs + 2).identity)
    const highest = 'SELECT claims::int FROM prepd_lineage'
    expect(await timed.ask(highest)).toEqual([{ claims: 3 }])
    await timed.claim(signedAt(startMs + 3))
    await timed.at(startMs + LIFE_MS + MINUTE_MS)
    expect(await timed.sweep()).toBe(3)
    expect(await timed.ask(highest)).toEqual([{ claims: 4 }])
    timed.close()
  })
})

/** The statements of a prepd before signed claims had a table of their own. */
const EARLIER = {
  claim: (identity: string, endsMs: number, attempt: string) =>
    `INSERT INTO prepd_claims (identity, attempt, expires_at, record)
     VALUES ('${identity}', '${attempt}', to_timestamp(${endsMs}::float8 / 1000), NULL)
     ON CONFLICT (identity) DO UPDATE SET attempt = excluded.attempt, expires_at = excluded.expires_at,
       record = excluded.record, number = DEFAULT
     WHERE prepd_claims.expires_at <= now() OR prepd_claims.attempt = excluded.attempt
     RETURNING number::float8 AS number`,
  release: (identity: string, attempt: string) =>
    `DELETE FROM prepd_claims WHERE identity = '${identity}' AND attempt = '${attempt}'`,
}

describe('an earlier prepd that still runs beside a later one', () => {
  test('makes no claim that the later one has made, nor the later one its own', async () => {
    const store = await openTimed(Date.now())
    const claims = Array.from({ length: 10 }, (_, at) => signedAt(Date.now() + at))
    const [first, ...racing] = claims.map((claim) => ({
      earlier: async (attempt = 'a') =>
        (await store.ask(EARLIER.claim(claim.identity, claim.expiresAtMs, attempt))).length === 1,
      later: () => store.claim(claim),
      claim,
    }))
    if (!first) throw new Error('no claims')
    expect(await first.earlier()).toBe(true)
    expect(await first.earlier()).toBe(true)
    expect(await first.earlier('b')).toBe(false)
    expect(await first.later()).toBe(false)
    await store.ask(EARLIER.release(first.claim.identity, 'a'))
    expect(await first.later()).toBe(true)
    expect(await first.earlier()).toBe(false)
    await store.once.release(first.claim.identity)
    expect(await first.earlier()).toBe(true)
    const won = await Promise.all(
      racing.map(async ({ earlier, later }) => await Promise.all([later(), earlier()])),
    )
    expect(won.map((both) => both.filter(Boolean).length)).toEqual(racing.map(() => 1))
    expect((await store.once.list(20)).rows).toHaveLength(10)
    store.close()
  })

  test('has its claims counted once, whether it made them before or after the upgrade', async () => {
    const store = await openTimed(Date.now())
    const [before, beside, own] = [0, 1, 2].map((at) => signedAt(Date.now() + at))
    if (!before || !beside || !own) throw new Error('no claims')
    await store.ask(
      `ALTER TABLE prepd_claims DISABLE TRIGGER prepd_claims_join_signed;
       ${EARLIER.claim(before.identity, before.expiresAtMs, 'before')};
       ALTER TABLE prepd_claims ENABLE TRIGGER prepd_claims_join_signed`,
    )
    await store.ask(EARLIER.claim(beside.identity, beside.expiresAtMs, 'beside'))
    await store.claim(own)
    await store.claim({ identity: 'client order id', sinceMs: 0, expiresAtMs: Date.now() + DAY_MS })
    expect(await store.once.list(10)).toMatchObject({ count: 4, rows: Array(4).fill({}) })
    const reader = await openAt(store.url)
    expect(reader.stats.claims()).toBe(4)
    reader.close()
    store.close()
  })

  test('is not opened again, and what it had claimed before the upgrade is claimed', async () => {
    const store = await openTimed(Date.now())
    const claim = signedAt(Date.now())
    await store.ask(
      `ALTER TABLE prepd_claims DISABLE TRIGGER prepd_claims_join_signed;
       ${EARLIER.claim(claim.identity, claim.expiresAtMs, 'before')};
       ALTER TABLE prepd_claims ENABLE TRIGGER prepd_claims_join_signed`,
    )
    expect(await store.claim(claim)).toBe(false)
    expect(await store.once.find(claim.identity)).toEqual({
      expiresAtMs: claim.expiresAtMs,
      record: null,
    })
    const worksWith = 'SELECT works_with FROM prepd_schema'
    expect(await store.ask(worksWith)).toEqual([{ works_with: 12 }])
    store.close()
  })
})
