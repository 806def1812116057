// Slow: a disk is filled.
import { expect } from 'bun:test'
import { closeSync, mkdirSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openVenueFile } from '../../src/store/entity-file.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { testsNeeding } from '../programs.ts'
import { ACCEPTED, type RecordingUpstream, startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget } from '../target.ts'
import { spawnPrepd, temporaryFolder } from './spawned.ts'

const { afterEach, beforeEach, describe, test } = testsNeeding(
  'a store that cannot be written',
  'prlimit',
)

const SENTENCE = 'Records cannot be kept right now. Nothing was sent. Try again in a moment.'
const caller = newCaller()
const order = () =>
  envelope(caller, { method: 'POST', path: '/v1/order', body: crypto.randomUUID() })
const read = () => envelope(newCaller(), { method: 'GET', path: '/v1/positions' })

let folder: ReturnType<typeof temporaryFolder>
let dataDir = ''
let venue: RecordingUpstream
beforeEach(async () => {
  folder = temporaryFolder()
  dataDir = join(folder.path, 'data')
  venue = await startRecordingUpstream(() => ACCEPTED)
})
afterEach(async () => {
  await venue.stop()
  folder[Symbol.dispose]()
})

type Ask = (path: string, init?: RequestInit) => Promise<Response>
const asked = async (fetched: Promise<Response>) => {
  const response = await fetched
  return { status: response.status, body: await response.json() }
}

/** What a caller meets while nothing can be written, and afterwards. */
async function meetsTrouble(
  ask: Ask,
  ops: Ask,
  trouble: { readonly begins: () => void; readonly ends: () => void; readonly code: string },
): Promise<void> {
  const relay = (body: object) => asked(ask('/api/prep/relay', jsonPost(body)))
  expect(await relay(order())).toMatchObject({ status: 200 })
  expect(venue.requests).toHaveLength(1)
  trouble.begins()
  const refused = order()
  for (let attempt = 0; attempt < 2; attempt += 1) {
    expect(await relay(refused)).toEqual({
      status: 503,
      body: { code: 'store_unavailable', error: SENTENCE },
    })
  }
  expect(venue.requests).toHaveLength(1)
  // Its proof cannot be stored, and the answer is given.
  expect(await relay(read())).toMatchObject({ status: 200 })
  expect(await asked(ops('/readyz'))).toMatchObject({
    status: 503,
    body: { ready: false, missing: expect.stringContaining(trouble.code) },
  })
  const sent = venue.requests.length
  trouble.ends()
  expect(await relay(refused)).toMatchObject({ status: 200 })
  expect(venue.requests).toHaveLength(sent + 1)
  expect(await asked(ops('/readyz'))).toMatchObject({ status: 200, body: { ready: true } })
}

describe('a disk without room', () => {
  /** Starts prepd so that its files can be kept from growing by a limit of the kernel. */
  const startLimited = async (settings: Readonly<Record<string, string>>) => {
    const prepd = spawnPrepd({
      settings: { DATA_DIR: dataDir, ...settings },
      before: "trap '' XFSZ",
    })
    const url = await prepd.url()
    const limit = (size: string) =>
      Bun.spawnSync(['prlimit', '--pid', String(prepd.pid), `--fsize=${size}:`])
    return {
      ask: (path: string, init?: RequestInit) => fetch(url + path, init),
      begins: () => expect(limit('4096').exitCode).toBe(0),
      ends: () => expect(limit('unlimited').exitCode).toBe(0),
      stop: async () => {
        prepd.kill('SIGTERM')
        return prepd.ended()
      },
      prepd,
    }
  }

  test('refuses writes, answers reads, and recovers by itself', async () => {
    const limited = await startLimited({ VENUE: venue.url, OPS_LISTEN: '127.0.0.1:0' })
    const ops = await limited.prepd.opsUrl()
    await meetsTrouble(limited.ask, (path) => fetch(ops + path), {
      ...limited,
      code: 'SQLITE_',
    })
    const { code, stderr } = await limited.stop()
    expect(code).toBe(0)
    expect(stderr).toContain('"store_unavailable"')
    expect(stderr).not.toContain('crash')
  })

  test('keeps no read of the embedded venue from its answer, and ends well', async () => {
    const limited = await startLimited({})
    limited.begins()
    for (const path of ['/api/prep/markets', '/api/prep/orderbook?symbol=PERP_ETH_USDC']) {
      expect((await limited.ask(path)).status).toBe(200)
    }
    const nonce = await asked(limited.ask('/api/prep/registration-nonce'))
    expect(nonce).toMatchObject({ status: 503, body: { code: 'store_unavailable' } })
    const { code, stderr } = await limited.stop()
    expect(code).toBe(0)
    expect(stderr).not.toContain('crash')
  })
})

describe('a damaged file', () => {
  test.each([
    ['prepd.sqlite', 'file is not a database'],
    ['prepd.lock', 'file is not a database'],
    ['venue.sqlite', 'file is not a database'],
  ])('%s is named with the setting of its folder, and nothing starts', async (name, cause) => {
    mkdirSync(dataDir)
    writeFileSync(join(dataDir, name), 'not what it should be'.repeat(1000))
    const { code, stdout, stderr } = await spawnPrepd({ settings: { DATA_DIR: dataDir } }).ended()
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(
      `prepd: ${join(dataDir, name)} cannot be used: ${cause}. PREPD_DATA_DIR names its folder. Restore a backup, or move it away.\n`,
    )
  })

  test('with a record of the embedded venue that cannot be read is named as well', async () => {
    const path = join(dataDir, 'venue.sqlite')
    mkdirSync(dataDir)
    const store = openVenueFile(path)
    // Of a world of this version, which is opened and not refused.
    const world = '{"world":{"version":6},"first":0,"end":0,"requestsTo":0}'
    store.commit([
      { kind: 'engine-snapshot', key: '0', json: world },
      { kind: 'account', key: caller.accountId, json: '{"v":3,"e' },
    ])
    store.close()
    const { code, stderr } = await spawnPrepd({ settings: { DATA_DIR: dataDir } }).ended()
    expect(code).toBe(1)
    expect(stderr).toStartWith(`prepd: ${path} cannot be used: `)
    expect(stderr).toEndWith('. PREPD_DATA_DIR names its folder.\n')
  })

  test('with a page that cannot be read answers what it can, and is not ready any more', async () => {
    const path = join(dataDir, 'prepd.sqlite')
    const store = openSqlite(path, Date.now())
    for (let n = 0; n < 3000; n += 1) await store.proofs.add(caller.accountId, `${n}`, 1)
    store.close()
    const { size } = statSync(path)
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(size / 2, 0xff), 0, size / 2, size / 2)
    closeSync(file)
    const target = await openTarget('in process', { VENUE: venue.url, DATA_DIR: dataDir })
    const ready = () => asked(target.ops('/readyz'))
    expect(await ready()).toMatchObject({ status: 200 })
    const signed = envelope(caller, { method: 'GET', path: '/v1/positions' })
    const answer = await asked(target.fetch('/api/prep/relay', jsonPost(signed)))
    expect(answer).toMatchObject({ status: 200 })
    expect(await ready()).toMatchObject({
      status: 503,
      body: { missing: 'store: SQLITE_CORRUPT' },
    })
    expect(target.log()).not.toContain('crash')
    await target.stop()
  })
})
