import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { wirePublicKey } from '../../src/core/crypto/signing.ts'
import { envelope, type TestCaller } from '../caller.ts'
import { openTarget, type Target } from '../target.ts'
import { spawnPrepd } from './spawned.ts'

const ETH = { VENUE_MARKETS: 'PERP_ETH_USDC', VENUE_ACTIVITY: 'normal' } as const
const WIRE = { VENUE_LISTEN: '127.0.0.1:0', OPS_LISTEN: '127.0.0.1:0' } as const
let live: Target
let paper: Target
let caller: TestCaller

beforeAll(async () => {
  live = await openTarget('compiled binary', { ...ETH, ...WIRE })
  paper = await openTarget('compiled binary', { ...(await paperOf()), OPS_LISTEN: '127.0.0.1:0' })
})
afterAll(() => Promise.all([live.stop(), paper.stop()]))

async function paperOf() {
  return {
    VENUE: 'paper',
    PAPER_OF: (await live.listening()).venue,
    VENUE_MARKETS: 'PERP_ETH_USDC',
  }
}

/** Waits until the paper service is as ready as this. */
async function readyIs(status: number) {
  for (;;) {
    const answer = await paper.ops('/readyz')
    const body: unknown = await answer.json()
    if (answer.status === status) return body
    await Bun.sleep(20)
  }
}

/** The figures of the books in the metrics, by their names. */
async function booksIn(target: Target): Promise<Readonly<Record<string, number>>> {
  const page = await (await target.ops('/metrics')).text()
  const lines = page.matchAll(/^prepd_venue_(books_known|books_away|marks_time_seconds) (.+)$/gm)
  return Object.fromEntries(Array.from(lines, ([, name = '', value]) => [name, Number(value)]))
}

/** Waits until so many books are known. Answers all figures of them. */
async function booksAre(known: number) {
  for (;;) {
    const found = await booksIn(paper)
    if (found['books_known'] === known) return found
    await Bun.sleep(20)
  }
}

async function consoleOf(target: Target) {
  return Object(await (await target.ops('/console/figures')).json())
}

/** A practice account of a service. */
async function callerAt(url: string): Promise<TestCaller> {
  const made = spawnPrepd({ argv: ['--mode', 'admin', 'account', 'create', '--url', url] })
  const { stdout } = await made.ended()
  const [, accountId = ''] = /^SERVICE_ACCOUNT_ID=(\S+)$/m.exec(stdout) ?? []
  const [, key = ''] = /^SERVICE_TRADING_KEY=(\S+)$/m.exec(stdout) ?? []
  const secret = Uint8Array.fromHex(key)
  return { accountId, key: wirePublicKey(secret), secret }
}

async function relayed(method: 'GET' | 'POST', path: string, order?: object) {
  const body = order && { body: JSON.stringify(order) }
  const answer = await paper.fetch('/api/prep/relay', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(envelope(caller, { method, path, ...body })),
  })
  return answer.json()
}

// Slow: two servers with their threads, and a command.
test('a service on paper shows the market of a live venue, and trades there with practice money', async () => {
  expect(await readyIs(200)).toMatchObject({ ready: true, venue: 'paper' })
  const book = await paper.fetch('/api/prep/orderbook?symbol=PERP_ETH_USDC')
  expect(book.headers.get('x-prepd-venue')).toBe('paper')
  const [mine, theirs] = await Promise.all(
    [paper, live].map(async (target) => (await target.fetch('/api/prep/market-rules')).json()),
  )
  expect(mine).toEqual(theirs)
  const { public: url } = await paper.listening()
  caller = await callerAt(url)
  const order = { symbol: 'PERP_ETH_USDC', side: 'BUY', order_type: 'MARKET', order_quantity: 0.01 }
  const bought = await relayed('POST', '/v1/order', order)
  expect(bought).toMatchObject({ order_quantity: 0.01 })
  const position = await relayed('GET', '/v1/position/PERP_ETH_USDC')
  expect(position).toMatchObject({ position_qty: 0.01 })
  const tools = await paper.fetch('/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE }),
  })
  expect(await tools.text()).toContain('practises on a live market')
})

// Slow: the books are looked at every second.
test('the books that are known, and the age of their marks, are in the metrics and on the console of practice alone', async () => {
  const { marks_time_seconds: marks = 0, ...books } = await booksAre(1)
  expect(books).toEqual({ books_known: 1, books_away: 0 })
  expect(Math.abs(Date.now() / 1000 - marks)).toBeLessThan(25)
  const { venue } = await consoleOf(paper)
  expect(venue.books).toMatchObject({ markets: 1, known: 1, awaySinceMs: null })
  expect(await booksIn(live)).toEqual({})
  expect((await consoleOf(live)).venue).toMatchObject({ kind: 'embedded', books: null })
})

// Slow: another server.
test('the first lines of a service on paper name the live venue', async () => {
  const settings = await paperOf()
  const begun = spawnPrepd({ settings })
  await begun.url()
  expect(begun.output()).toContain(
    `practice on the markets of ${settings.PAPER_OF}: no order reaches it\n`,
  )
  begun.kill('SIGTERM')
  expect((await begun.ended()).code).toBe(0)
})

// Slow: a socket that is gone, and a start.
test('without its live venue it is not ready, and a new world does not start', async () => {
  const settings = await paperOf()
  const goneAtMs = Date.now()
  await live.stop()
  expect(await readyIs(503)).toMatchObject({ missing: 'venue: upstream_unavailable' })
  expect(await booksAre(0)).toMatchObject({ books_away: 1 })
  const { venue } = await consoleOf(paper)
  expect(venue.books).toMatchObject({ markets: 1, known: 0 })
  expect(venue.books.awaySinceMs).toBeGreaterThanOrEqual(goneAtMs)
  expect(await relayed('GET', '/v1/positions')).toMatchObject({ code: 'upstream_unavailable' })
  expect(await relayed('GET', '/v1/orders')).toMatchObject({ rows: [{ status: 'FILLED' }] })
  const folder = mkdtempSync(join(tmpdir(), 'prepd-paper-'))
  const absent = spawnPrepd({ settings: { ...settings, DATA_DIR: join(folder, 'data') } })
  const { code, stderr } = await absent.ended()
  rmSync(folder, { recursive: true, force: true })
  expect([code, stderr]).toEqual([1, expect.stringContaining('names no market that can be traded')])
})

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
}
