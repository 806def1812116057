import { readFileSync } from 'node:fs'
import { CORES, type Running } from './servers.ts'

/** The middle one of some figures. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** The figure that this part of all figures stay under. */
export function percentile(figures: readonly number[], part: number): number {
  const sorted = figures.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

export type Throughput = {
  readonly perSecond: number
  /** Processor time per request: of the whole server, and of its main thread. */
  readonly cpuMicros: number
  readonly mainMicros: number
}

const SECONDS = 2
const CONNECTIONS = 32
const TICK_MICROS = 10_000

/** What a browser on another origin sends through a proxy: thirteen headers with Host. */
export const BROWSER: Readonly<Record<string, string>> = {
  'User-Agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  Accept: 'application/json, text/plain, */*',
  'Accept-Language': 'en-GB,en;q=0.9,de;q=0.8',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
  Origin: 'https://app.example',
  Referer: 'https://app.example/',
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'cors',
  'Sec-Fetch-Dest': 'empty',
  'Sec-CH-UA': '"Chromium";v="131", "Not_A Brand";v="24"',
  'Sec-CH-UA-Mobile': '?0',
  'X-Forwarded-For': '203.0.113.9',
}

/** Requests a second through 32 connections, and the processor time each one cost the server; a script of wrk makes them. */
export function throughput(
  server: Running,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  script: string | null = null,
): Throughput {
  const { pid } = server
  const [before, mainBefore] = [cpuMicros(pid), mainMicros(pid)]
  const { stdout } = Bun.spawnSync(loadOf(server, path, headers, script))
  const requests = answered(stdout.toString())
  return {
    perSecond: requests / SECONDS,
    cpuMicros: (cpuMicros(pid) - before) / requests,
    mainMicros: (mainMicros(pid) - mainBefore) / requests,
  }
}

/** Requests a second of several servers that are asked at once. */
export async function throughputTogether(
  servers: readonly Running[],
  path: string,
  scripts: readonly string[] = [],
): Promise<number> {
  const loads = servers.map((server, at) =>
    Bun.spawn(loadOf(server, path, {}, scripts[at] ?? null)),
  )
  const texts = await Promise.all(loads.map(({ stdout }) => new Response(stdout).text()))
  return texts.reduce((sum, text) => sum + answered(text), 0) / SECONDS
}

function loadOf(
  { url }: Running,
  path: string,
  headers: Readonly<Record<string, string>>,
  script: string | null,
): string[] {
  const sent = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const made = script === null ? [] : ['-s', script]
  const wrk = ['wrk', '-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, ...sent, ...made]
  return ['taskset', '-c', CORES.load, ...wrk, url + path]
}

/** How many requests wrk had answers to. Throws where one of them was a refusal. */
function answered(text: string): number {
  const requests = Number(/(\d+) requests in/.exec(text)?.[1])
  if (!requests || /Non-2xx or 3xx responses/.test(text)) throw new Error(text)
  return requests
}

/** User and system time of a process and the children nginx works with. */
export function cpuMicros(pid: number): number {
  const pids = [pid, ...childrenOf(pid)]
  return pids.reduce((sum, each) => sum + ticksOf(each), 0) * TICK_MICROS
}

/** Time on a processor of a process's main thread, and of the main threads of its children. */
function mainMicros(pid: number): number {
  const nanos = [pid, ...childrenOf(pid)].map((each) =>
    Number(readFileSync(`/proc/${each}/task/${each}/schedstat`, 'utf8').split(' ')[0]),
  )
  return nanos.reduce((sum, own) => sum + own, 0) / 1000
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

/** Resident memory of a process in MB. */
export function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

/** Milliseconds each of `count` calls took, one after the other. */
export async function latencies(
  count: number,
  call: (index: number) => Promise<Response>,
): Promise<number[]> {
  const figures: number[] = []
  for (let index = 0; index < count; index++) {
    const startedAt = performance.now()
    const response = await call(index)
    await response.arrayBuffer()
    figures.push(performance.now() - startedAt)
    if (!response.ok) throw new Error(`a call answered ${response.status}`)
  }
  return figures
}

/** Bytes that a process has written to files; the disk takes them in whole pages, which is up to twice as much. */
export function bytesWritten(pid: number): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])
}

/** A row of the figures of a server. */
export function line(
  name: string,
  { perSecond, cpuMicros: micros, mainMicros: main }: Throughput,
): string {
  return `  ${name.padEnd(6)} ${Math.round(perSecond).toLocaleString('en').padStart(9)} req/s  ${micros.toFixed(1).padStart(6)} us cpu, ${main.toFixed(1)} us of the main thread`
}

/** The middle of several figures of a server. */
export function throughputMedian(rows: readonly Throughput[]): Throughput {
  return {
    perSecond: median(rows.map((row) => row.perSecond)),
    cpuMicros: median(rows.map((row) => row.cpuMicros)),
    mainMicros: median(rows.map((row) => row.mainMicros)),
  }
}

/** Rounds of everything that is compared. */
export const ROUNDS = 5

/** Medians of rounds in which each has its turn, so that a slow minute slows them all. */
export function interleave<Name extends string>(
  runs: Record<Name, () => Throughput>,
): Record<Name, Throughput> {
  const names = Object.keys(runs) as Name[]
  const figures = new Map<Name, Throughput[]>(names.map((name) => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of names) figures.get(name)?.push(runs[name]())
  }
  const rows = names.map((name) => [name, throughputMedian(figures.get(name) ?? [])] as const)
  return Object.fromEntries(rows) as Record<Name, Throughput>
}
