import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agentStarts } from './agent-start.ts'
import { liveData } from './live.ts'
import { median, residentMb, type Throughput, throughput } from './measure.ts'
import { signedOrders } from './orders.ts'
import { pageLoads } from './page.ts'
import { CALLS, farCalls, type Hop, plainHop, relayCost, relayHop } from './relay.ts'
import { assertTools, CORES, type Running, startNginx, startPrepd, startRole } from './servers.ts'

const ROUNDS = 5
const HOP_CALLS = 400
const STARTS = 15
const MEMORY_REQUESTS = 1_000_000
const KEYS = 1_000_000

assertTools()
console.log(
  `prepd bench: medians of ${ROUNDS} interleaved rounds; server on core ${CORES.server}, load on core ${CORES.load}`,
)
await cachedReads()
await relayedCalls()
await farCalls()
await starts()
await memoryAndKeys()
await agentStarts()
await liveData()
await pageLoads()
await signedOrders()
engine()

/** Cached reads beside a bare server that answers the same bytes, and nginx that has them cached. */
async function cachedReads(): Promise<void> {
  const prepd = await startPrepd()
  for (const path of ['/api/prep/config', '/api/prep/markets']) {
    const bytes = await (
      await fetch(prepd.url + path, { headers: { 'accept-encoding': 'identity' } })
    ).bytes()
    const file = join(mkdtempSync(join(tmpdir(), 'prepd-bytes-')), 'body.json')
    writeFileSync(file, bytes)
    const bare = await startRole('bare', CORES.server, file)
    const nginx = await startNginx(bare.url)
    const rows = await interleave({
      prepd: () => throughput(prepd, path),
      bare: () => throughput(bare, '/'),
      nginx: () => throughput(nginx, '/cached/'),
    })
    console.log(
      `\ncached GET ${path} (${bytes.byteLength} bytes), limits, address and request id on`,
    )
    for (const [name, row] of Object.entries(rows)) console.log(line(name, row))
    console.log(
      `  prepd / bare ${ratio(rows.prepd, rows.bare)}   prepd / nginx ${ratio(rows.prepd, rows.nginx)}`,
    )
    await nginx.stop()
    await bare.stop()
  }
  await prepd.stop()
}

function line(name: string, { perSecond, cpuMicros }: Throughput): string {
  return `  ${name.padEnd(6)} ${Math.round(perSecond).toLocaleString('en').padStart(9)} req/s  ${cpuMicros.toFixed(1).padStart(6)} us cpu`
}

function ratio(a: Throughput, b: Throughput): string {
  return `${(a.perSecond / b.perSecond).toFixed(2)} (cpu ${(b.cpuMicros / a.cpuMicros).toFixed(2)})`
}

async function interleave<Name extends string>(
  runs: Record<Name, () => Throughput>,
): Promise<Record<Name, Throughput>> {
  const names = Object.keys(runs) as Name[]
  const figures = new Map<Name, Throughput[]>(names.map((name) => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of names) figures.get(name)?.push(runs[name]())
  }
  const rows = names.map((name) => {
    const all = figures.get(name) ?? []
    const perSecond = median(all.map((row) => row.perSecond))
    return [name, { perSecond, cpuMicros: median(all.map((row) => row.cpuMicros)) }] as const
  })
  return Object.fromEntries(rows) as Record<Name, Throughput>
}

/** What a hop adds: the same call direct, through nginx with kept connections, and signed through the relay. */
async function relayedCalls(): Promise<void> {
  const venue = await startRole('venue', CORES.load)
  const prepd = await startPrepd({ VENUE: venue.url })
  const nginx = await startNginx(venue.url)
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
    console.log(`  prepd / nginx p50 ${(added.prepd.p50 / added.nginx.p50).toFixed(2)}`)
    const cost = await relayCost(prepd, HOP_CALLS, call)
    console.log(
      `  each costs prepd ${cost.cpuMicros.toFixed(0)} us cpu and ${(cost.diskBytes / 1000).toFixed(1)} kB on the disk`,
    )
  }
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

/** From spawning the binary to its first answer, on an empty data directory and as many cores as there are. */
async function starts(): Promise<void> {
  const figures: number[] = []
  for (let run = 0; run < STARTS; run++) {
    const startedAt = performance.now()
    const prepd = await startPrepd({}, null)
    await (await fetch(`${prepd.url}/api/prep/config`)).arrayBuffer()
    figures.push(performance.now() - startedAt)
    await prepd.stop()
  }
  console.log(
    `\nspawn to first answer: median ${median(figures).toFixed(1)} ms, fastest ${Math.min(...figures).toFixed(1)} ms`,
  )
}

/** Memory over a million requests, and what a million rate windows cost the same read. */
async function memoryAndKeys(): Promise<void> {
  const prepd = await startPrepd({ TRUSTED_PROXIES: '127.0.0.0/8' })
  const path = '/api/prep/config'
  const atStart = residentMb(prepd.pid)
  let asked = 0
  const one: Throughput[] = []
  while (asked < MEMORY_REQUESTS) {
    const row = throughput(prepd, path)
    asked += row.perSecond * 2
    one.push(row)
  }
  const after = residentMb(prepd.pid)
  console.log(
    `\nmemory: ${atStart.toFixed(0)} MB at start, ${after.toFixed(0)} MB after ${Math.round(asked).toLocaleString('en')} requests`,
  )
  await meetKeys(prepd, path)
  const many = throughputMedian(Array.from({ length: ROUNDS }, () => throughput(prepd, path)))
  console.log(
    `rate windows: one key ${line('', throughputMedian(one)).trim()}; ${KEYS.toLocaleString('en')} keys ${line('', many).trim()}; ${residentMb(prepd.pid).toFixed(0)} MB`,
  )
  await prepd.stop()
}

function throughputMedian(rows: readonly Throughput[]): Throughput {
  return {
    perSecond: median(rows.map((row) => row.perSecond)),
    cpuMicros: median(rows.map((row) => row.cpuMicros)),
  }
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
