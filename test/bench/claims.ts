/**
 * bun test/bench/claims.ts [WRITES_A_SECOND=1000] [MINUTES=60] [rows]: what PostgreSQL keeps of the claims of so many signed writes, on a
 * clock of its own that passes as fast as they can be made. `rows` makes claims that are deleted row by row, to compare.
 */

import { openAt } from '../cluster/postgres/instance.ts'
import { startPostgres } from '../cluster/postgres.ts'
import { virtualClock } from '../cluster/virtual-clock.ts'

const [perSecond = 1000, minutes = 60] = process.argv.slice(2, 4).map(Number)
const isSigned = process.argv[4] !== 'rows'
const CLAIM_LIFE_MS = 360_000
const MINUTE_MS = 60_000
/** A step of the clock, below what clocks may differ by. */
const STEP_MS = 10_000
const AT_ONCE = 32
const SHOWN_EVERY_MINUTES = 5

const server = await startPostgres({
  settings: { shared_buffers: '128MB', autovacuum_naptime: '5s' },
})
const url = await server.newDatabase()
const startMs = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS
const clock = await virtualClock(server, url, startMs)
let nowMs = startMs
const store = await openAt(url, { nowMs: () => nowMs, waitMaxMs: 30_000 })
const realMs = performance.now()
console.log(
  `${perSecond} writes a second for ${minutes} minutes, dropped ${isSigned ? 'by the minute' : 'row by row'}`,
)
console.log(
  'minute | claims kept | MB | dead rows | vacuums | claims/s of real time | sweep ms, most',
)
let made = 0
let sweepMs = 0
for (; nowMs < startMs + minutes * MINUTE_MS; nowMs += STEP_MS) {
  await clock.set(nowMs)
  await step()
  await swept()
  const minute = (nowMs + STEP_MS - startMs) / MINUTE_MS
  if (minute % SHOWN_EVERY_MINUTES === 0) await show(minute)
}
store.close()
await server.stop()

/** Claims what is signed in one step, so many at once. */
async function step(): Promise<void> {
  const count = (perSecond * STEP_MS) / 1000
  let next = 0
  const work = async () => {
    while (next < count) {
      const signedAtMs = nowMs + Math.floor((next * STEP_MS) / count)
      const identity = `${made}`.padStart(64, '0')
      next += 1
      made += 1
      const expiresAtMs = signedAtMs + CLAIM_LIFE_MS
      const claim = { identity, sinceMs: signedAtMs, expiresAtMs, isSigned }
      if (!(await store.once.claim(claim, nowMs))) throw new Error(`${identity} is claimed already`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

/** Sweeps as housekeeping does, until nothing is left. */
async function swept(): Promise<void> {
  for (let gone = 1; gone > 0; ) {
    const startedMs = performance.now()
    gone = await store.sweep(nowMs, 250)
    sweepMs = Math.max(sweepMs, performance.now() - startedMs)
  }
}

async function show(minute: number): Promise<void> {
  const [row] = await server.ask(
    `SELECT sum(pg_total_relation_size(relid)) / 1e6 AS mb, sum(n_dead_tup) AS dead,
       sum(vacuum_count + autovacuum_count) AS vacuums,
       (SELECT count(*) FROM prepd_claims) + (SELECT count(*) FROM prepd_signed_claims) AS kept
     FROM pg_stat_user_tables WHERE relname ~ '^prepd_(signed_)?claims'`,
    new URL(url).pathname.slice(1),
  )
  const perRealSecond = Math.round(made / ((performance.now() - realMs) / 1000))
  const figures = [row?.['kept'], Number(row?.['mb']).toFixed(0), row?.['dead'], row?.['vacuums']]
  console.log([minute, ...figures, perRealSecond, sweepMs.toFixed(0)].join(' | '))
}
