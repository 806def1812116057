/**
 * npm run soak storm [seconds] [seed]: random faults of all kinds at once over three instances, judged by a table.
 * npm run soak limits [orders] [seed]: so many orders race over three agent servers, and over two instances on PostgreSQL and Valkey;
 * a tenth as many are approved by their owners, and every kind of order races in a fifth as many rounds. All are executables, which are killed.
 * npm run soak standby [kills] [seed]: so many clients with standby cancels, instances and venues are killed at random.
 * npm run soak orders [count] [seed]: compares the order calculator with the simulated exchange on random orders.
 * npm run soak cluster [schedules] [seed]: instances on a model of PostgreSQL and Valkey, with faults in the order of each schedule.
 * npm run soak mutants [schedules] [seed]: the same schedules with one check of the rule removed at a time; each is to be noticed.
 * npm run soak shared [minutes]: an account attacks each shared bound, prepd is killed, its store and its volume are lost, a backup is
 * restored, PostgreSQL and Valkey are killed and replaced, while five honest accounts trade, cancel, reduce and read: 12 minutes by default.
 * npm run soak week: each trouble of a week is made for real; each is to be notified within a minute, once, and once over.
 * npm run soak failover [times]: fails over PostgreSQL to a standby that is two seconds behind, and to a synchronous one; `times` repeats each.
 * npm run soak margin [scenarios] [seed]: compares random accounts with cross and isolated positions with the margin model.
 * npm run soak tests [times] [paths]: the tests, each property so many times as often, and against the executable wherever they can.
 * npm run soak [kills] [requests] [lives] [events] [times]: what the tests show in seconds, for as long as it takes. Kills prepd
 * so many times under load, stops it a tenth as often, fills its disk, asks it so many mixed requests and weighs it, then
 * leads so many lives of a voucher issuer, lets the embedded venue live for so many events, killed now and then, until it
 * crashes, compares accounts with the margin model, and runs the tests as above. Exits 1 when anything failed, was doubled, lost or strange, or grew.
 */
import { failOver, isOrdinary } from './failover.ts'
import { raceApprovals } from './limits/approvals.ts'
import { raceExposure } from './limits/exposure.ts'
import { raceAgents, raceInstances } from './limits/races.ts'
import { randomOf } from './random.ts'
import { shareBounds } from './shared/shared.ts'
import {
  countOf,
  seconds,
  soakDisks,
  soakEvents,
  soakKills,
  soakLives,
  soakMutants,
  soakRequests,
  soakStops,
} from './soak-parts.ts'
import { killAround } from './standby/kills.ts'
import { storm } from './storm/storm.ts'
import { week } from './week/week.ts'

const DEFAULTS = {
  kills: 1000,
  requests: 10_000_000,
  lives: 2000,
  events: 5_000_000,
  times: 20,
} as const
const STOPS_PART = 10
const STORM_SECONDS = 600
const SHARED_MINUTES = 12
const FAILOVERS = 3
const RACED_ORDERS = 1000
const APPROVED_PART = 10
const ROUNDS_PART = 5
/** fast-check takes seeds of 32 bits. */
const SEEDS = 2 ** 31

type Soak = (args: readonly string[]) => Promise<boolean>

const SOAKS: Readonly<Record<string, Soak>> = {
  storm: soakStorm,
  tests: ([times, ...paths]) => soakTests(countOf(times ?? String(DEFAULTS.times)), paths),
  limits: soakLimits,
  standby: soakStandby,
  week: soakWeek,
  failover: soakFailovers,
  shared: soakShared,
  cluster: soakOne('test/cluster/simulation.test.ts', 'SCHEDULES', 100_000),
  mutants: ([count = '1200', seed = '1']) => soakMutants(countOf(count), countOf(seed)),
  margin: soakOne('test/simulator/engine/margin-model.test.ts', 'SCENARIOS', 20_000),
  orders: soakOne('test/perp/oracle.test.ts', 'ORDERS', 100_000),
}

const [first = '', ...rest] = process.argv.slice(2)
const isGood = await (SOAKS[first] ?? soakAll)(rest)
process.exitCode = isGood ? 0 : 1

async function soakStorm(args: readonly string[]): Promise<boolean> {
  const [seconds = STORM_SECONDS, seed = Date.now() >>> 0] = args.map(countOf)
  console.log(`prepd soak: a storm of ${seconds} s, seed ${seed}`)
  const ending = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ending.abort())
  const { lines, isGood } = await storm(seconds, seed, ending.signal)
  console.log(lines.join('\n'))
  return isGood
}

async function soakLimits(args: readonly string[]): Promise<boolean> {
  const [orders = RACED_ORDERS, seed = Date.now() >>> 0] = args.map(countOf)
  console.log(`prepd soak: ${orders} orders race within limits, seed ${seed}`)
  const good: boolean[] = []
  const races = {
    raceAgents: () => raceAgents(orders, randomOf(seed)),
    raceInstances: () => raceInstances(orders, randomOf(seed)),
    raceApprovals: () => raceApprovals(Math.ceil(orders / APPROVED_PART), randomOf(seed)),
    racePosition: () => raceExposure(Math.ceil(orders / ROUNDS_PART), randomOf(seed), 'position'),
    raceLeverage: () => raceExposure(Math.ceil(orders / ROUNDS_PART), randomOf(seed), 'leverage'),
  }
  for (const [name, run] of Object.entries(races)) {
    const startedAtMs = performance.now()
    const { passed, ...sums } = await run()
    console.log(
      `${name}: ${JSON.stringify(sums)} in ${seconds(startedAtMs)} s, passed ${passed.length}`,
    )
    for (const one of passed.slice(0, 20)) console.log(`  ${one}`)
    good.push(passed.length === 0)
  }
  return good.every(Boolean)
}

async function soakStandby(args: readonly string[]): Promise<boolean> {
  const [kills = DEFAULTS.kills, seed = Date.now() >>> 0] = args.map(countOf)
  console.log(`prepd soak: ${kills} kills around standby cancels, seed ${seed}`)
  const startedAtMs = performance.now()
  const { wrong, ...figures } = await killAround(kills, randomOf(seed), (done) => {
    if (done % 100 === 0) console.log(`  ${done} kills (${seconds(startedAtMs)} s)`)
  })
  console.log(`standby: ${JSON.stringify(figures)} in ${seconds(startedAtMs)} s`)
  console.log(`  wrong ${wrong.length}`)
  for (const one of wrong.slice(0, 20)) console.log(`  ${one}`)
  return wrong.length === 0
}

async function soakWeek(): Promise<boolean> {
  const startedAtMs = performance.now()
  console.log('| trouble              | notified |     over | times begun + over |')
  const { figures, wrong } = await week((line) => console.log(line))
  console.log(
    `week: ${JSON.stringify(figures)} in ${seconds(startedAtMs)} s, wrong ${wrong.length}`,
  )
  for (const one of wrong.slice(0, 20)) console.log(`  ${one}`)
  return wrong.length === 0
}

async function soakFailovers(args: readonly string[]): Promise<boolean> {
  const [times = FAILOVERS] = args.map(countOf)
  const good: boolean[] = []
  for (let done = 0; done < times; done += 1)
    for (const kind of ['async', 'sync'] as const) {
      const figures = await failOver(kind)
      good.push(isOrdinary(kind, figures))
      console.log(`failover ${kind}: ${JSON.stringify(figures)}, ${good.at(-1) ? 'good' : 'bad'}`)
    }
  return good.every(Boolean)
}

async function soakShared(args: readonly string[]): Promise<boolean> {
  const [minutes = SHARED_MINUTES] = args.map(countOf)
  console.log(`prepd soak: shared bounds for ${minutes} minutes`)
  const wrong = await shareBounds(minutes * 60, (line) => console.log(line))
  return wrong.length === 0
}

async function soakAll(): Promise<boolean> {
  const counts = process.argv.slice(2).map(countOf)
  const [kills = DEFAULTS.kills, requests = DEFAULTS.requests, lives = DEFAULTS.lives] = counts
  const [events = DEFAULTS.events, times = DEFAULTS.times] = counts.slice(3)
  const seed = Date.now() >>> 0
  const asked = `${kills} kills, ${requests} requests, ${lives} lives, ${events} events, tests ${times} times`
  console.log(`prepd soak: ${asked}, seed ${seed}`)
  const good = [
    await soakKills(kills, seed),
    await soakStops(Math.ceil(kills / STOPS_PART), seed),
    await soakDisks(),
    await soakRequests(requests, seed),
    await soakLives(lives),
    await soakEvents(events, seed),
    ...(times === 0 ? [] : [await SOAKS['margin']?.([]), await SOAKS['orders']?.([])]),
    await soakTests(times, []),
  ]
  return good.every(Boolean)
}

/** Runs one test file with another count and seed. */
function soakOne(path: string, name: string, most: number): Soak {
  return async ([count = String(most), seed = String(Date.now() % SEEDS)]) => {
    console.log(`prepd soak: ${path} with ${count} ${name.toLowerCase()}, seed ${seed}`)
    const child = Bun.spawn([process.execPath, 'test', '--timeout=14400000', path], {
      env: { ...process.env, [name]: count, SEED: seed },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    return (await child.exited) === 0
  }
}

/** The pages are tested as often as ever: none of their tests is repeated. */
async function soakTests(times: number, paths: readonly string[]): Promise<boolean> {
  if (times === 0) return true
  const limits = ['--timeout=3600000', '--only-failures', '--path-ignore-patterns=test/pages/**']
  const child = Bun.spawn([process.execPath, 'test', ...limits, '--no-isolate', ...paths], {
    env: { ...process.env, TEST_RUNS: String(times), TEST_TARGETS: 'all' },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return (await child.exited) === 0
}
