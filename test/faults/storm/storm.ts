import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { residentMb } from '../../bench/measure.ts'
import { openSocket, snapshotOf } from '../../live/clients.ts'
import { mayMount } from '../disks.ts'
import { randomOf } from '../random.ts'
import { openClient } from './client.ts'
import { startControl } from './control.ts'
import { STRIKES, type Struck } from './faults.ts'
import { type Finding, judge, type Shortage } from './judge.ts'
import { startStormStream } from './live.ts'
import { asked, createSigner, startListener, startLoad } from './load.ts'
import { type Ends, type StormInstance, startStormPlace } from './place.ts'
import { type Planned, planOf, STORM_FAULTS } from './plan.ts'
import { type Figures, reportOf } from './report.ts'
import { startStormVenue } from './venue.ts'

const INSTANCES = 3
const SAMPLE_EVERY_MS = 1000
const RECOVER_MAX_MS = 40_000

/**
 * Lets random faults of all kinds strike three instances at once for so many seconds, under load, and judges what is
 * left. Ends early, and as orderly, when `signal` says so.
 */
export async function storm(seconds: number, seed: number, signal: AbortSignal): Promise<Result> {
  const ends: Ends = []
  try {
    return await endured(seconds, seed, signal, ends)
  } finally {
    for (const end of ends.toReversed()) await end()
  }
}

type Result = { readonly lines: readonly string[]; readonly isGood: boolean }

async function endured(
  seconds: number,
  seed: number,
  signal: AbortSignal,
  ends: Ends,
): Promise<Result> {
  const startedMs = performance.now()
  const nowMs = () => performance.now() - startedMs
  const venue = await startStormVenue(randomOf(seed + 1), nowMs)
  ends.push(venue.stop)
  const stream = startStormStream(seed + 2)
  ends.push(stream.stop)
  const place = await startStormPlace(INSTANCES, venue.url, stream.url, ends)
  const { instances } = place
  const control = await startControl(nowMs)
  ends.push(control.stop)
  const exits = watchExits(instances, nowMs)
  const memoryMb: number[][] = instances.map(() => [])
  const sampling = setInterval(() => {
    for (const [at, { pid }] of instances.entries()) memoryMb[at]?.push(weighed(pid))
  }, SAMPLE_EVERY_MS)
  const urls = instances.map(({ url }) => url)
  const load = startLoad(urls, randomOf(seed + 3), nowMs)
  const listeners = urls.map(startListener)

  const plan = planOf(seed, seconds * 1000, INSTANCES).filter(isPossible)
  const beganMs = nowMs()
  const strikes = plan.map((planned) => ({ planned, place, stream, instances }))
  const shortages = await rage(strikes, beganMs, nowMs, signal)
  venue.calm()
  await load.end()
  clearInterval(sampling)
  const listened = listeners.map(({ figures }) => figures())
  await Promise.all(listeners.map(({ end }) => end()))
  const unrecovered = await unrecoveredOf(instances)
  exits.expect()
  const codes = await Promise.all(instances.map(({ stop }) => stop()))
  const observed = {
    calls: load.calls,
    taken: venue.taken,
    shortages,
    controls: control.controls,
    exits: [
      ...exits.seen,
      ...codes.flatMap((code, at) => (code === 0 ? [] : [`instance ${at} stopped with ${code}`])),
    ],
    unexpected: instances.flatMap(({ log }, at) => unexpectedOf(log(), at)),
    unrecovered,
    memoryMb,
  }
  const figures: Figures = {
    seed,
    seconds: nowMs() / 1000,
    plan,
    behaved: venue.behaved,
    malformed: stream.malformed(),
    skipped: load.skipped(),
    listened,
    observed,
  }
  const findings: readonly Finding[] = judge(observed)
  const isGood = findings.every(({ cases }) => cases.length === 0)
  const lines = reportOf(figures, findings)
  return { lines: isGood ? lines : [...lines, '', keptLogs(instances, seed)], isGood }
}

/** Keeps what the instances logged; answers where. */
function keptLogs(instances: readonly StormInstance[], seed: number): string {
  const folder = mkdtempSync(join(tmpdir(), `prepd-storm-${seed}-`))
  for (const [at, { log }] of instances.entries()) {
    writeFileSync(join(folder, `instance-${at}.log`), log())
  }
  return `what the instances logged: ${folder}`
}

function isPossible({ fault }: Planned): boolean {
  return STORM_FAULTS[fault].target !== 'disk' || mayMount()
}

type Strike = Omit<Struck, 'instance'> & { readonly instances: readonly StormInstance[] }

/** Begins and ends every fault at its time; answers when instances had no descriptors. */
async function rage(
  strikes: readonly Strike[],
  beganMs: number,
  nowMs: () => number,
  signal: AbortSignal,
): Promise<readonly Shortage[]> {
  const shortages: Shortage[] = []
  const busy = new Map<string, Promise<void>>()
  async function until(plannedMs: number): Promise<void> {
    const ms = beganMs + plannedMs
    while (nowMs() < ms && !signal.aborted)
      await Bun.sleep(Math.min(100, Math.max(1, ms - nowMs())))
  }
  async function strike({ instances, ...rest }: Strike): Promise<void> {
    const { fault, instance: at, untilMs } = rest.planned
    const instance = instances[at]
    if (!instance || signal.aborted) return
    const fromMs = nowMs()
    const end = await STRIKES[fault]({ ...rest, instance })
    await until(untilMs)
    await end()
    if (fault === 'descriptors exhausted')
      shortages.push({ instance: at, fromMs, untilMs: nowMs() })
  }
  for (const one of strikes) {
    const { fault, instance, fromMs } = one.planned
    await until(fromMs)
    const spot = `${STORM_FAULTS[fault].target} ${instance}`
    const before = busy.get(spot) ?? Promise.resolve()
    busy.set(
      spot,
      before.then(() => strike(one)),
    )
  }
  await Promise.all(busy.values())
  return shortages
}

/** Notes instances that end before they are expected to. */
function watchExits(instances: readonly StormInstance[], nowMs: () => number) {
  const seen: string[] = []
  let isExpected = false
  for (const [at, { ended }] of instances.entries()) {
    void ended().then(({ code, stderr }) => {
      const last = stderr.trimEnd().split('\n').at(-1)
      if (!isExpected)
        seen.push(`instance ${at} at ${(nowMs() / 1000).toFixed(1)} s: exit ${code}, ${last}`)
    })
  }
  return {
    seen,
    expect: () => {
      isExpected = true
    },
  }
}

function weighed(pid: number): number {
  try {
    return residentMb(pid)
  } catch {
    return 0
  }
}

/** Log lines about unexpected errors, and output that is no log line. */
function unexpectedOf(log: string, at: number): readonly string[] {
  return log
    .split('\n')
    .filter(
      (line) =>
        line !== '' && (!line.startsWith('{') || /"event":"(fault|uncaught)"|"crash"/.test(line)),
    )
    .map((line) => `instance ${at}: ${line}`)
}

/** What each instance does not do again within a time after the last fault. */
async function unrecoveredOf(instances: readonly StormInstance[]): Promise<readonly string[]> {
  const found = await Promise.all(
    instances.map(async (instance, at) => {
      const untilMs = performance.now() + RECOVER_MAX_MS
      let missing = await missingOf(instance)
      while (missing.length > 0 && performance.now() < untilMs) {
        await Bun.sleep(200)
        missing = await missingOf(instance)
      }
      return missing.map((part) => `instance ${at}: ${part}`)
    }),
  )
  return found.flat()
}

async function missingOf({ url, opsUrl }: StormInstance): Promise<readonly string[]> {
  const client = openClient(url)
  const ops = openClient(opsUrl)
  const signer = createSigner(Math.random)
  const write = await asked(client, '/api/prep/relay', signer.write().body)
  const read = await asked(client, '/api/prep/orderbook?symbol=PERP_BTC_USDC')
  const { status, text } = await ops.ask('/readyz')
  const isReady = status === 200 && /"degraded":\[\]/.test(text)
  const isLive = await streams(url)
  client.stop()
  ops.stop()
  return [
    ...(write.outcome === 'ok' ? [] : [`a write: ${write.outcome}`]),
    ...(read.outcome === 'ok' ? [] : [`a read: ${read.outcome}`]),
    ...(isReady ? [] : [`readiness: ${status} ${text}`]),
    ...(isLive ? [] : ['no snapshot of live data']),
  ]
}

const SNAPSHOT_WAIT_MS = 5000

async function streams(url: string): Promise<boolean> {
  try {
    const client = await openSocket(url)
    client.send({ op: 'subscribe', topics: ['marks', 'orderbook:PERP_ETH_USDC'] })
    await client.next(snapshotOf('marks'), SNAPSHOT_WAIT_MS)
    await client.next(snapshotOf('orderbook:PERP_ETH_USDC'), SNAPSHOT_WAIT_MS)
    client.close()
    return true
  } catch {
    return false
  }
}
