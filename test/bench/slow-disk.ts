/** Cached reads and relayed writes, on this disk and on a disk whose syncs take 5 ms longer: `bun test/bench/slow-disk.ts`. */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { note } from './aims.ts'
import { median, percentile, ROUNDS } from './measure.ts'
import { askFromLoad, CORES, type Running, startPrepd, startRole } from './servers.ts'

/** Relayed writes per writer and round, by the number of writers that write at the same time. */
const WRITES = { 1: 100, 16: 100 } as const
const WARMING = 50

/** Delays each sync of a program, without a delay of its other system calls. The program keeps the process id. */
const SLOW_SYNCS = [
  ...['strace', '-D', '-f', '--seccomp-bpf', '-qqq', '-o', '/dev/null'],
  ...['-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:delay_enter=5ms'],
]

type Figures = { readonly readP50: number; readonly p50: number; readonly perSecond: number }

export async function slowDisk(): Promise<void> {
  const venue = await startRole('venue', CORES.load)
  const setFree = askFromLoad()
  const settings = { VENUE: venue.url }
  await measureDisk(await startPrepd(settings), noteOwnDisk)
  if (canSlowSyncs())
    await measureDisk(await startPrepd(settings, undefined, {}, SLOW_SYNCS), noteSlowDisk)
  else
    console.log(
      '  a slow disk: not measured, because strace is missing or may not trace (apt-get install strace)',
    )
  setFree()
  await venue.stop()
}

function canSlowSyncs(): boolean {
  return Bun.which('strace') !== null && Bun.spawnSync([...SLOW_SYNCS, 'true']).success
}

async function measureDisk(
  prepd: Running,
  noted: (one: Figures, many: Figures) => void,
): Promise<void> {
  await write(prepd, WARMING, 16)
  noted(await measureWriters(prepd, 1), await measureWriters(prepd, 16))
  await prepd.stop()
}

function noteOwnDisk(one: Figures, many: Figures): void {
  const syncMs = ownSyncMs()
  note('oneWriter', one.p50 - syncMs)
  console.log(`\nrelayed writes on this disk, which syncs in ${syncMs.toFixed(2)} ms`)
  print(one, many)
}

function noteSlowDisk(one: Figures, many: Figures): void {
  note('readBesideWriter', one.readP50)
  note('readBesideWriters', many.readP50)
  note('writersP50', many.p50)
  note('writersPerSecond', many.perSecond)
  console.log('\nrelayed writes on a disk whose syncs take 5 ms longer')
  print(one, many)
}

function print(one: Figures, many: Figures): void {
  for (const [who, { readP50, p50, perSecond }] of Object.entries({
    ' 1 writer ': one,
    '16 writers': many,
  }))
    console.log(
      `  ${who}: cached read p50 ${readP50.toFixed(2)} ms, write p50 ${p50.toFixed(2)} ms, ${perSecond.toFixed(0)} writes/s`,
    )
}

async function measureWriters(prepd: Running, atOnce: keyof typeof WRITES): Promise<Figures> {
  const rounds: Figures[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const writing = write(prepd, WRITES[atOnce], atOnce)
    const waits = await readsUntil(writing, prepd)
    rounds.push({ readP50: percentile(waits, 0.5), ...(await writing) })
  }
  return {
    readP50: median(rounds.map(({ readP50 }) => readP50)),
    p50: median(rounds.map(({ p50 }) => p50)),
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
  }
}

async function write(
  { url }: Running,
  each: number,
  atOnce: number,
): Promise<Pick<Figures, 'p50' | 'perSecond'>> {
  const script = new URL('./writers.ts', import.meta.url).pathname
  const command = [
    'taskset',
    '-c',
    CORES.load,
    process.execPath,
    script,
    url,
    `${each}`,
    `${atOnce}`,
  ]
  const { stdout } = Bun.spawn(command, { stdout: 'pipe' })
  return JSON.parse(await new Response(stdout).text())
}

/** The milliseconds of cached reads, one after another, until the work is done. */
async function readsUntil(work: Promise<unknown>, { url }: Running): Promise<number[]> {
  const waits: number[] = []
  let isOver = false
  void work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    const startedMs = performance.now()
    await (await fetch(`${url}/api/prep/config`)).arrayBuffer()
    waits.push(performance.now() - startedMs)
    await Bun.sleep(1)
  }
  return waits
}

/** The median of what one sync of this disk takes after 4 kB were written. */
function ownSyncMs(): number {
  const file = openSync(join(mkdtempSync(join(tmpdir(), 'prepd-sync-')), 'file'), 'w')
  const page = new Uint8Array(4096)
  const waits = Array.from({ length: 100 }, () => {
    writeSync(file, page)
    const startedMs = performance.now()
    fdatasyncSync(file)
    return performance.now() - startedMs
  })
  closeSync(file)
  return median(waits)
}

if (import.meta.main) await slowDisk()
