import { cpus } from 'node:os'
import { agentStarts } from './agent-start.ts'
import { benchmarkPage, note } from './aims.ts'
import { liveData } from './live.ts'
import {
  cpuMicros,
  line,
  median,
  ROUNDS,
  residentMb,
  type Throughput,
  throughput,
  throughputMedian,
} from './measure.ts'
import { fill, keptMisses, uncachedReads } from './misses.ts'
import { signedOrders } from './orders.ts'
import { pageLoads } from './page.ts'
import { keptReads } from './reads.ts'
import { CALLS, farCalls, type Hop, plainHop, relayCost, relayHop } from './relay.ts'
import {
  askFromLoad,
  assertTools,
  CORES,
  type Running,
  startNginx,
  startPrepd,
  startRole,
} from './servers.ts'
import { severalInstances } from './shared/run.ts'
import { slowDisk } from './slow-disk.ts'
import { longestStall } from './stall.ts'
import { starts } from './start.ts'

const HOP_CALLS = 400
const MEMORY_REQUESTS = 2_000_000
const MEMORY_LOOK_EVERY = 200_000
const MEMORY_IDLE_MS = 5000
const KEYS = 200_000
const KEPT = 50_000
const LOADING = ['/api/prep/insurance-fund', '/swagger/json', '/swagger/streams.json', '/trade']

const PAGE = Bun.file(new URL('../../config/reference/benchmark.md', import.meta.url))

/** The measurements by name, in the order of a whole run. */
const PARTS: Readonly<Record<string, () => Promise<void> | void>> = {
  reads: keptReads,
  uncached: uncachedReads,
  misses: keptMisses,
  relay: relayedCalls,
  'far-venue': farCalls,
  'slow-disk': slowDisk,
  instances: severalInstances,
  start: starts,
  loaded: loadedMemory,
  memory: memoryAndKeys,
  kept: keptKeys,
  'agent-start': agentStarts,
  live: liveData,
  page: pageLoads,
  orders: signedOrders,
  engine,
  stall: longestStall,
}

await measure(process.argv.slice(2))

/** Runs the named parts, or all of them, and writes the page after each. */
async function measure(chosen: readonly string[]): Promise<void> {
  const parts = Object.entries(PARTS).filter(
    ([name]) => chosen.length === 0 || chosen.includes(name),
  )
  if (parts.length !== (chosen.length || Object.keys(PARTS).length)) {
    console.log(`measurements: ${Object.keys(PARTS).join(', ')}`)
    return
  }
  assertTools()
  console.log(
    `prepd bench: medians of ${ROUNDS} interleaved rounds; server on core ${CORES.server}, load on core ${CORES.load}`,
  )
  const pageBefore = await PAGE.text()
  const startedMs = performance.now()
  for (const [at, [name, part]] of parts.entries()) {
    const beganMs = performance.now()
    console.log(`\n[${at + 1} of ${parts.length}] ${name}`)
    await part()
    const seconds = [performance.now() - beganMs, performance.now() - startedMs].map(
      (ms) => ms / 1000,
    )
    console.log(`  took ${seconds[0]?.toFixed(0)} s; ${seconds[1]?.toFixed(0)} s since the start`)
    await writePage(pageBefore)
  }
}

async function writePage(pageBefore: string): Promise<void> {
  const machine = `${cpus().length} × ${cpus()[0]?.model}, Bun ${Bun.version}`
  const day = new Date().toISOString().slice(0, 10)
  await Bun.write(PAGE, benchmarkPage(machine, day, pageBefore))
}

/** What a hop adds: the same call direct, through nginx with kept connections, and signed through the relay. */
async function relayedCalls(): Promise<void> {
  const venue = await startRole('venue', CORES.load)
  const prepd = await startPrepd({ VENUE: venue.url })
  const nginx = await startNginx(venue.url)
  const setFree = askFromLoad()
  for (const [name, call] of Object.entries(CALLS)) {
    const hops: Record<'direct' | 'nginx' | 'prepd', Hop[]> = { direct: [], nginx: [], prepd: [] }
    await relayHop(prepd, HOP_CALLS, call)
    for (let round = 0; round < ROUNDS; round++) {
      hops.direct.push(await plainHop(venue, HOP_CALLS, call))
      hops.nginx.push(await plainHop(nginx, HOP_CALLS, call))
      hops.prepd.push(await relayHop(prepd, HOP_CALLS, call))
    }
    const direct = hopMedian(hops.direct)
    console.log(
      `\nrelayed ${name}: milliseconds added to a direct call (direct p50 ${direct.p50.toFixed(3)}, p99 ${direct.p99.toFixed(3)})`,
    )
    const added = {
      nginx: less(hopMedian(hops.nginx), direct),
      prepd: less(hopMedian(hops.prepd), direct),
    }
    for (const [who, hop] of Object.entries(added))
      console.log(`  ${who.padEnd(6)} p50 ${hop.p50.toFixed(3)}  p99 ${hop.p99.toFixed(3)}`)
    const ofNginx = added.prepd.p50 / added.nginx.p50
    note(name === 'read' ? 'relayRead' : 'relayWrite', ofNginx)
    console.log(`  prepd / nginx p50 ${ofNginx.toFixed(2)}`)
    const cost = await relayCost(prepd, HOP_CALLS, call)
    if (name === 'write') note('diskOfWrite', cost.diskBytes / 1000)
    console.log(
      `  each costs prepd ${cost.cpuMicros.toFixed(0)} us cpu and ${(cost.diskBytes / 1000).toFixed(1)} kB on the disk`,
    )
  }
  setFree()
  await Promise.all([nginx.stop(), prepd.stop(), venue.stop()])
}

function hopMedian(hops: readonly Hop[]): Hop {
  return { p50: median(hops.map(({ p50 }) => p50)), p99: median(hops.map(({ p99 }) => p99)) }
}

function less(hop: Hop, base: Hop): Hop {
  return { p50: hop.p50 - base.p50, p99: hop.p99 - base.p99 }
}

/** The embedded venue's engine, alone in a process of its own. */
function engine(): void {
  const script = new URL('./engine.ts', import.meta.url).pathname
  const { stdout } = Bun.spawnSync(['taskset', '-c', CORES.server, process.execPath, script])
  console.log(`\nengine of the embedded venue\n${stdout.toString().trimEnd()}`)
}

/** Memory in front of a live venue once every kind of request was made. */
async function loadedMemory(): Promise<void> {
  const venue = await startRole('venue', CORES.load)
  const prepd = await startPrepd({ VENUE: venue.url })
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const headers = { 'content-type': 'application/json' }
  await (await fetch(`${prepd.url}/mcp`, { method: 'POST', headers, body })).arrayBuffer()
  for (const path of LOADING) await (await fetch(prepd.url + path)).arrayBuffer()
  const loaded = residentMb(prepd.pid)
  note('memoryLoaded', loaded)
  console.log(
    `\nmemory in front of a live venue, everything asked for once: ${loaded.toFixed(0)} MB`,
  )
  await Promise.all([prepd.stop(), venue.stop()])
}

/** Memory over two million requests, and what many rate windows cost the same read. */
async function memoryAndKeys(): Promise<void> {
  const prepd = await startPrepd({ TRUSTED_PROXIES: '127.0.0.0/8' })
  const path = '/api/prep/config'
  const atStart = residentMb(prepd.pid)
  await Bun.sleep(MEMORY_IDLE_MS)
  const idle = residentMb(prepd.pid)
  let asked = 0
  const one: Throughput[] = []
  const seen: number[] = []
  while (asked < MEMORY_REQUESTS) {
    const row = throughput(prepd, path)
    asked += row.perSecond * 2
    one.push(row)
    if (asked >= (seen.length + 1) * MEMORY_LOOK_EVERY) seen.push(residentMb(prepd.pid))
  }
  note('memoryFirst', Math.max(atStart, idle))
  note('memoryAfter', Math.max(...seen))
  console.log(
    `\nmemory: ${atStart.toFixed(0)} MB at start, ${idle.toFixed(0)} MB when nobody asked for ${MEMORY_IDLE_MS / 1000} s; every ${MEMORY_LOOK_EVERY.toLocaleString('en')} requests later ${seen.map((mb) => mb.toFixed(0)).join(', ')} MB`,
  )
  const alone = throughputMedian(one)
  const cpuBefore = cpuMicros(prepd.pid)
  await meetKeys(prepd, path)
  const metMicros = (cpuMicros(prepd.pid) - cpuBefore) / KEYS
  const many = throughputMedian(Array.from({ length: ROUNDS }, () => throughput(prepd, path)))
  note('callers', many.perSecond / alone.perSecond)
  console.log(
    `rate windows: one key ${line('', alone).trim()}; ${KEYS.toLocaleString('en')} keys ${line('', many).trim()}; ${residentMb(prepd.pid).toFixed(0)} MB; a caller not seen before ${metMicros.toFixed(1)} us cpu`,
  )
  await prepd.stop()
}

/** What many kept answers cost the same read. */
async function keptKeys(): Promise<void> {
  const venue = await startRole('venue', CORES.load)
  const prepd = await startPrepd({ VENUE: venue.url, TRUSTED_PROXIES: '127.0.0.0/8' })
  const read = () =>
    throughputMedian(
      Array.from({ length: ROUNDS }, () => throughput(prepd, '/api/prep/insurance-fund')),
    )
  const one = read()
  await fill(prepd, KEPT)
  const many = read()
  note('kept', many.perSecond / one.perSecond)
  console.log(
    `kept answers: one ${line('', one).trim()}; ${KEPT.toLocaleString('en')} ${line('', many).trim()}`,
  )
  await Promise.all([prepd.stop(), venue.stop()])
}

// Each address asks once: in batches, as a proxy would pass them on.
async function meetKeys(prepd: Running, path: string): Promise<void> {
  const BATCH = 64
  for (let key = 0; key < KEYS; key += BATCH) {
    const asks = Array.from({ length: BATCH }, (_, offset) => {
      const n = key + offset
      const address = `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
      return fetch(prepd.url + path, { headers: { 'x-forwarded-for': address } }).then((response) =>
        response.arrayBuffer(),
      )
    })
    await Promise.all(asks)
  }
}
