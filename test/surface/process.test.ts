// Slow: a write may take eleven seconds, and a stop waits for it.
import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS } from '../../src/contract/limits.ts'
import { markInUse } from '../../src/core/loop/idle-timers.ts'
import { SETTING_KINDS } from '../../src/core/settings/kinds.ts'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { ACCEPTED, type AnswerSpec } from '../recording-upstream.ts'
import { openTarget } from '../target.ts'
import { startRecordedVenue } from './recorded-venue.ts'
import { spawnPrepd, temporaryFolder } from './spawned.ts'
import { newUser } from './wallets.ts'

let folder: ReturnType<typeof temporaryFolder>
let dataDir = ''

beforeEach(() => {
  folder = temporaryFolder()
  dataDir = join(folder.path, 'data')
})
afterEach(() => {
  folder[Symbol.dispose]()
})

const MARKET_ORDER = {
  method: 'POST',
  path: '/v1/order',
  body: '{"symbol":"PERP_ETH_USDC"}',
} as const

/** The text once it holds what is waited for. */
async function eventually(read: () => boolean): Promise<void> {
  while (!read()) await Bun.sleep(2)
}

function postTo(url: string, body: unknown) {
  return fetch(`${url}/api/prep/relay`, jsonPost(body))
}

test('says where it listens, once it does, and nothing else', async () => {
  const prepd = spawnPrepd({ settings: { DATA_DIR: dataDir } })
  const url = await prepd.url()
  expect((await fetch(`${url}/api/prep/catalogue`)).status).toBe(200)
  prepd.kill('SIGTERM')
  const { code, stdout, stderr } = await prepd.ended()
  expect(stdout).toBe(
    `prepd listening on ${url}\nreference: ${url}/swagger\ntrading page: ${url}/trade\n`,
  )
  expect(stderr).toBe('')
  expect(code).toBe(0)
})

test('says where everything else is, free ports too', async () => {
  const settings = { DATA_DIR: dataDir, OPS_LISTEN: '127.0.0.1:0', VENUE_LISTEN: '127.0.0.1:0' }
  const prepd = spawnPrepd({ settings })
  await prepd.url()
  const named = [...prepd.output().matchAll(/^(.+?):? (http\S+)$/gm)]
  expect(named.map(([, name]) => name)).toEqual([
    'prepd listening on',
    'reference',
    'trading page',
    'console',
    'wire of the embedded venue',
  ])
  for (const [, , address = ''] of named) expect((await fetch(address)).status).toBeLessThan(500)
  prepd.kill('SIGTERM')
  expect((await prepd.ended()).code).toBe(0)
})

test('a second process on the same data directory does not start, and the first goes on', async () => {
  const first = spawnPrepd({ settings: { DATA_DIR: dataDir } })
  const url = await first.url()
  const second = await spawnPrepd({ settings: { DATA_DIR: dataDir } }).ended()
  expect(second).toMatchObject({ code: 1, stdout: '' })
  expect(second.stderr).toBe(
    `prepd: PREPD_DATA_DIR ${dataDir}: is in use by another prepd: stop it, or name another directory\n`,
  )
  expect((await fetch(`${url}/api/prep/catalogue`)).status).toBe(200)
  first.kill('SIGTERM')
  expect((await first.ended()).code).toBe(0)
  const third = spawnPrepd({ settings: { DATA_DIR: dataDir } })
  expect((await fetch(`${await third.url()}/api/prep/catalogue`)).status).toBe(200)
  third.kill('SIGTERM')
  expect((await third.ended()).code).toBe(0)
})

test('a second process on the same port does not start', async () => {
  const first = spawnPrepd({ settings: { DATA_DIR: dataDir } })
  const { host } = new URL(await first.url())
  const settings = { DATA_DIR: join(folder.path, 'other'), LISTEN: host }
  const second = await spawnPrepd({ settings }).ended()
  expect(second).toMatchObject({ code: 1, stdout: '' })
  expect(second.stderr).toStartWith(`prepd: PREPD_LISTEN ${host}: is taken: stop the process`)
  first.kill('SIGTERM')
  await first.ended()
})

test.each(['--nope', '--mode=nope', '--data_dir=x', 'serve', '--listen'])(
  '%s is refused before anything is opened',
  async (flag) => {
    const { code, stdout, stderr } = await spawnPrepd({
      argv: [flag],
      settings: { DATA_DIR: dataDir },
    }).ended()
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toStartWith('prepd: ')
    expect(stderr).not.toMatch(/\n {4}at |Error:/)
    expect(existsSync(dataDir)).toBe(false)
  },
)

test('what lies in the working directory neither runs nor counts', async () => {
  const trace = join(folder.path, 'ran')
  const code = `require('node:fs').writeFileSync(${JSON.stringify(trace)}, 'x')\n`
  writeFileSync(join(folder.path, 'preload.js'), code)
  writeFileSync(join(folder.path, 'bunfig.toml'), 'preload = ["./preload.js"]\n')
  for (const name of ['.env', '.env.local', '.env.production']) {
    writeFileSync(
      join(folder.path, name),
      'PREPD_VENUE=http://127.0.0.1:9\nPREPD_SERVICE_NAME=planted\n',
    )
  }
  writeFileSync(
    join(folder.path, 'package.json'),
    '{"type":"module","imports":{"#x":"./preload.js"}}',
  )
  const prepd = spawnPrepd({ settings: { DATA_DIR: dataDir }, cwd: folder.path })
  const url = await prepd.url()
  const response = await fetch(`${url}/api/prep/markets`)
  expect(response.headers.get('x-prepd-venue')).toBe('embedded')
  expect(await (await fetch(`${url}/swagger/json`)).text()).not.toContain('planted')
  prepd.kill('SIGTERM')
  expect((await prepd.ended()).code).toBe(0)
  expect(existsSync(trace)).toBe(false)
})

test('asked to stop, it finishes the write it has begun, takes no more, and ends well', async () => {
  const venue = await startRecordedVenue((): AnswerSpec => ({ ...ACCEPTED, delayMs: 300 }))
  const prepd = spawnPrepd({ settings: { VENUE: venue.url, DATA_DIR: dataDir } })
  const url = await prepd.url()
  const answer = postTo(url, envelope(newCaller(), MARKET_ORDER))
  await eventually(() => venue.requests.length === 1)
  prepd.kill('SIGTERM')
  expect((await answer).status).toBe(200)
  const { code } = await prepd.ended()
  expect(code).toBe(0)
  expect(venue.requests).toHaveLength(1)
  await expect(fetch(`${url}/api/prep/catalogue`)).rejects.toThrow()
  await venue.stop()
})

test('asked to stop, it waits for a write as long as a write may take', async () => {
  const venue = await startRecordedVenue((): AnswerSpec => ({ ...ACCEPTED, delayMs: 11_000 }))
  const prepd = spawnPrepd({ settings: { VENUE: venue.url, DATA_DIR: dataDir } })
  const answer = postTo(await prepd.url(), envelope(newCaller(), MARKET_ORDER))
  await eventually(() => venue.requests.length === 1)
  prepd.kill('SIGTERM')
  expect((await answer).status).toBe(200)
  expect((await prepd.ended()).code).toBe(0)
  await venue.stop()
})

test('the service unit waits longer than a stop, and a stop longer than a write', async () => {
  const unit = await Bun.file(new URL('../../config/prepd.service', import.meta.url)).text()
  const unitSeconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])
  expect(LIMITS.stopDeadlineMs).toBeGreaterThan(LIMITS.upstreamWriteDeadlineMs)
  const graceMaxMs = 60_000
  expect(SETTING_KINDS.graceSeconds.parse(String(graceMaxMs / 1000))).toBe(60)
  expect(SETTING_KINDS.graceSeconds.parse(String(graceMaxMs / 1000 + 1))).toBeUndefined()
  expect(unitSeconds * 1000).toBeGreaterThan(LIMITS.stopDeadlineMs + graceMaxMs)
})

test('killed in the middle of a write, it remembers that it was sent and never sends it again', async () => {
  const venue = await startRecordedVenue(() => 'hang')
  const settings = { VENUE: venue.url, DATA_DIR: dataDir }
  const first = spawnPrepd({ settings })
  const url = await first.url()
  const signed = envelope(newCaller(), MARKET_ORDER)
  const lost = postTo(url, signed).catch(() => null)
  await eventually(() => venue.requests.length === 1)
  first.kill('SIGKILL')
  expect(await lost).toBeNull()
  await first.ended()
  const second = spawnPrepd({ settings })
  const response = await postTo(await second.url(), signed)
  expect(response.status).toBe(409)
  expect(await response.json()).toMatchObject({ code: 'outcome_unknown' })
  expect(venue.requests).toHaveLength(1)
  second.kill('SIGTERM')
  expect((await second.ended()).code).toBe(0)
  await venue.stop()
})

test('a market that the embedded venue does not have is refused by name, and nothing is opened', async () => {
  const settings = { DATA_DIR: dataDir, VENUE_MARKETS: 'PERP_ETH_USDC,PERP_NONE_USDC' }
  const { code, stderr, stdout } = await spawnPrepd({ settings }).ended()
  expect([code, stdout]).toEqual([64, ''])
  expect(stderr).toStartWith('prepd: PREPD_VENUE_MARKETS: PERP_NONE_USDC is not among the markets:')
  expect(existsSync(dataDir)).toBe(false)
})

test('killed with an order resting at the embedded venue, it has the order, the key and the account afterwards', async () => {
  const settings = { DATA_DIR: dataDir }
  const first = spawnPrepd({ settings })
  const url = await first.url()
  const user = await newUser({ fetch: (path, init) => fetch(url + path, init) })
  const book = Object(await (await fetch(`${url}/api/prep/orderbook?symbol=PERP_ETH_USDC`)).json())
  const order = {
    symbol: 'PERP_ETH_USDC',
    side: 'BUY',
    order_type: 'LIMIT',
    order_quantity: 0.1,
    order_price: Math.floor(Number(book.bids[0].price) * 0.9),
  }
  const placing = { method: 'POST', path: '/v1/order', body: JSON.stringify(order) } as const
  const placed = Object(await (await postTo(url, envelope(user, placing))).json())
  expect(placed.order_id).toBeGreaterThan(0)
  first.kill('SIGKILL')
  await first.ended()
  const second = spawnPrepd({ settings })
  const resting = { method: 'GET', path: '/v1/orders?status=INCOMPLETE' } as const
  const { rows } = Object(await (await postTo(await second.url(), envelope(user, resting))).json())
  expect(rows.map(({ order_id }: { order_id: number }) => order_id)).toEqual([placed.order_id])
  second.kill('SIGTERM')
  expect((await second.ended()).code).toBe(0)
})

test('what is stopped leaves no timer running, though its process goes on', async () => {
  // Timers of other tests may rest, and one that is added to them would not start.
  markInUse()
  const started = spyOn(globalThis, 'setInterval')
  const ended = spyOn(globalThis, 'clearInterval')
  try {
    const target = await openTarget('in process', { VENUE: 'embedded' })
    const timers = started.mock.results.map(({ value }) => value)
    expect(timers.length).toBeGreaterThan(2)
    expect(ended.mock.calls.filter(([timer]) => timers.includes(timer))).toEqual([])
    await target.stop()
    const cleared = new Set<unknown>(ended.mock.calls.map(([timer]) => timer))
    expect(timers.filter((timer) => !cleared.has(timer))).toEqual([])
  } finally {
    started.mockRestore()
    ended.mockRestore()
  }
})
