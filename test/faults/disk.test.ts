import { expect } from 'bun:test'
import { join } from 'node:path'
import { envelope, jsonPost, newCaller, type TestCaller } from '../caller.ts'
import { testsNeeding } from '../programs.ts'
import { type RecordingUpstream, startRecordingUpstream } from '../recording-upstream.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'
import { UNLIMITED } from './unlimited.ts'

const { afterEach, beforeEach, test } = testsNeeding('a full disk', 'prlimit')

/** What a file may still grow to: the kernel then refuses every write, as it does on a full disk. */
function limitFiles(pid: number, size: '0' | 'unlimited'): void {
  const { exitCode, stderr } = Bun.spawnSync(['prlimit', `--pid=${pid}`, `--fsize=${size}:`])
  if (exitCode !== 0) throw new Error(stderr.toString())
}

let folder: ReturnType<typeof temporaryFolder>
let venue: RecordingUpstream
let prepd: ReturnType<typeof spawnPrepd>
let url = ''
let caller: TestCaller

beforeEach(async () => {
  folder = temporaryFolder()
  venue = await startRecordingUpstream()
  const listen = { OPS_LISTEN: '127.0.0.1:0', LOG: 'info' }
  const settings = {
    VENUE: venue.url,
    DATA_DIR: join(folder.path, 'data'),
    ...listen,
    ...UNLIMITED,
  }
  // By default a process dies of the signal that comes with the refusal.
  prepd = spawnPrepd({ settings, before: "trap '' XFSZ" })
  url = await prepd.url()
  caller = newCaller()
})
afterEach(async () => {
  prepd.kill('SIGKILL')
  await prepd.ended()
  await venue.stop()
  folder[Symbol.dispose]()
})

function order(): object {
  const body = JSON.stringify({ client_order_id: crypto.randomUUID() })
  return envelope(caller, { method: 'POST', path: '/v1/order', body })
}

/** Whether it takes itself for ready, by the listener that its log names. */
async function ready(): Promise<Response> {
  const ops = /"ops":"(http:[^"]+)"/.exec(prepd.log())?.[1]
  return fetch(`${ops}/readyz`)
}

const post = async (body: object) => {
  const response = await fetch(`${url}/api/prep/relay`, jsonPost(body))
  return { status: response.status, body: Object(await response.json()) }
}

test('a disk that is full costs no write its safety, and recovers without a restart', async () => {
  expect((await post(order())).status).toBe(200)
  limitFiles(prepd.pid, '0')
  const refused = Array.from({ length: 5 }, order)
  for (const one of refused) {
    const { status, body } = await post(one)
    expect({ status, code: body.code }).toEqual({ status: 503, code: 'store_unavailable' })
  }
  expect(venue.requests).toHaveLength(1)
  expect((await ready()).status).toBe(503)
  expect(prepd.log()).not.toContain('"crash"')
  expect((await fetch(`${url}/api/prep/config`)).status).toBeLessThan(600)
  limitFiles(prepd.pid, 'unlimited')
  for (const one of refused) expect((await post(one)).status).toBe(200)
  expect(venue.requests.filter(({ method }) => method === 'POST')).toHaveLength(6)
  expect((await ready()).status).toBe(200)
})

test('a read that the venue answered is answered, though its proof cannot be kept', async () => {
  limitFiles(prepd.pid, '0')
  const read = envelope(caller, { method: 'GET', path: '/v1/positions' })
  const { status, body } = await post(read)
  expect({ status, code: body.code }).toEqual({ status: 200, code: undefined })
  expect(prepd.log()).not.toContain('"crash"')
})

test('on a disk that is full from the start it says so, and does not begin', async () => {
  using other = temporaryFolder()
  const settings = { VENUE: venue.url, DATA_DIR: join(other.path, 'data') }
  const full = spawnPrepd({ settings, before: "trap '' XFSZ; ulimit -f 0" })
  const { code, stdout, stderr } = await full.ended()
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^prepd: [^\n]+\n$/)
})

test('where no folder can be made it says so, and does not begin', async () => {
  const settings = { VENUE: venue.url, DATA_DIR: '/proc/self/prepd/data' }
  const { code, stdout, stderr } = await spawnPrepd({ settings }).ended()
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^prepd: [^\n]+\n$/)
})
