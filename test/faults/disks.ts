import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { startRecordingUpstream } from '../recording-upstream.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'
import { UNLIMITED } from './unlimited.ts'

const DISK_MB = 4
const WRITES = 20

/** Whether this user may mount a disk of its own; some machines and most containers forbid it. */
export function mayMount(): boolean {
  return Bun.spawnSync(['unshare', '-rm', 'true']).exitCode === 0
}

/** Becomes prepd with a disk that nobody else sees, mounted by `mounting` on the folder `$1`. */
export function onDisk(mounting: string, dataDir: string): string {
  return `exec unshare -rm /bin/sh -c '${mounting}; exec "$0"' "$0" '${dataDir}'`
}

/** What went wrong on a real disk that fills up and is emptied again. */
export async function fullDisk(): Promise<readonly string[]> {
  using folder = temporaryFolder()
  const dataDir = join(folder.path, 'data')
  mkdirSync(dataDir)
  const venue = await startRecordingUpstream()
  const before = onDisk(`mount -t tmpfs -o size=${DISK_MB}m none "$1"`, dataDir)
  const prepd = spawnPrepd({
    settings: { VENUE: venue.url, DATA_DIR: dataDir, ...UNLIMITED },
    before,
  })
  const url = await prepd.url()
  const caller = newCaller()
  const orders = Array.from({ length: WRITES }, (_, at) =>
    envelope(caller, { method: 'POST', path: '/v1/order', body: `{"client_order_id":"${at}"}` }),
  )
  const send = async (order: object) =>
    (await fetch(`${url}/api/prep/relay`, jsonPost(order))).status
  // The process's own view of its disk.
  const filler = join(`/proc/${prepd.pid}/root`, dataDir, 'filler')
  const faults: string[] = []
  fill(filler)
  const refused = await statusesOf(orders, send)
  const sentWhileFull = venue.requests.length
  const taken = refused.filter((status) => status === 200).length
  if (taken === WRITES) faults.push('the disk never filled')
  if (sentWhileFull !== taken) faults.push(`${sentWhileFull} sent, ${taken} answered while full`)
  rmSync(filler)
  const again = await statusesOf(orders, send)
  if (again.some((status) => status !== 200)) faults.push(`emptied: ${again.join(' ')}`)
  if (venue.requests.length !== WRITES) faults.push(`${venue.requests.length} sent in the end`)
  prepd.kill('SIGTERM')
  const { code } = await prepd.ended()
  if (code !== 0) faults.push(`ended with ${code}`)
  await venue.stop()
  return faults
}

/** What went wrong with a start on a disk that cannot be written. */
export async function readOnlyDisk(): Promise<readonly string[]> {
  using folder = temporaryFolder()
  const dataDir = join(folder.path, 'data')
  mkdirSync(dataDir)
  const before = onDisk('mount -t tmpfs -o ro none "$1"', dataDir)
  const prepd = spawnPrepd({ settings: { DATA_DIR: dataDir }, before })
  const { code, stdout, stderr } = await prepd.ended()
  const isReported = /^prepd: [^\n]+\n$/.test(stderr)
  return code === 1 && stdout === '' && isReported ? [] : [`read-only: ${code} ${stderr}`]
}

async function statusesOf(orders: readonly object[], send: (order: object) => Promise<number>) {
  const statuses: number[] = []
  for (const order of orders) statuses.push(await send(order))
  return statuses
}

/** Writes until there is no room for another page. */
export function fill(path: string): void {
  for (const size of [1024 * 1024, 4096]) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: 'a' })
    } catch (error) {
      if (Object(error).code !== 'ENOSPC') throw error
    }
  }
}
