import { afterEach, beforeEach, expect } from 'bun:test'
import type { Failure } from '../../../src/core/failure.ts'
import type { Limits } from '../../../src/core/mandate.ts'
import type { Store, UpstreamRequest } from '../../../src/core/ports.ts'
import { relay } from '../../../src/gateway/relay/relay.ts'
import { FIGURE_READS } from '../../../src/perp/figure-reads.ts'
import { DAY_READS } from '../../../src/perp/pnl.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { envelope, newCaller, type TestCall, type TestCaller } from '../../caller.ts'
import wire from '../../vectors/tools-wire.json'
import { FROM, openInstance } from '../standby/instance.ts'

export const START_MS = 1_800_000_000_000
export const BTC = 'PERP_BTC_USDC'
export const USDC = 1_000_000n

/** The account of the tests. */
export const caller = newCaller()
/** The wall's time and the venue's. */
export const time = { nowMs: START_MS }

type Instance = Awaited<ReturnType<typeof openInstance>>

/** One instance in front of a venue that answers as the wire was recorded; orders as a test wants. */
export const world: {
  store: Store
  instance: Instance
  /** Writes that reached the venue. */
  sent: UpstreamRequest[]
  orderAnswer: () => Promise<object>
  /** Answers every read, where a test wants one. */
  readAnswer: (() => Promise<object>) | null
  /** The PnL of 24 hours by prices that the account's positions are answered with, in USDC. */
  dayResult: number
  /** The account's rows by the path of their read. */
  dayRows: Readonly<Partial<Record<string, readonly object[]>>>
  /** The rows of the account's positions; null: those of the wire. */
  positions: readonly object[] | null
  /** The conditional orders of the account. */
  waiting: readonly object[]
  /** The rows of its default margin modes; null: those of the wire. */
  modes: readonly object[] | null
} = await newWorld()

async function newWorld() {
  const store = openSqlite(':memory:', 0)
  const instance = await openInstanceOn(store)
  const sent: UpstreamRequest[] = []
  time.nowMs = START_MS
  const orderAnswer = async () => wire['POST /v1/order']
  const account = { dayResult: 10.5, dayRows: {}, positions: null, waiting: [], modes: null }
  return { store, instance, sent, orderAnswer, readAnswer: null, ...account }
}

/** Opens the world anew before each test of a file. */
export function openWorldForEach(): void {
  beforeEach(async () => {
    Object.assign(world, await newWorld())
    await world.instance.prove(caller)
  })
  afterEach(() => world.store.close())
}

/** An instance on a store. */
export function openInstanceOn(shared: Store) {
  return openInstance({ store: shared, nowMs: () => time.nowMs, send: answer })
}

/** What the venue answers. */
export async function answer(request: UpstreamRequest) {
  const path = request.path.split('?')[0]
  if (request.method !== 'GET') world.sent.push(request)
  const dayPaths = Object.values(DAY_READS).map((read) => read.split('?')[0])
  const listed = dayPaths.includes(path)
    ? rowsOf(world.dayRows[path ?? ''] ?? [])
    : path === '/v1/positions'
      ? positions()
      : path === '/v1/algo/orders'
        ? rowsOf(world.waiting)
        : path === '/v1/client/leverages'
          ? { success: true, data: { rows: LEVERAGES } }
          : path === '/v1/client/margin_modes' && world.modes
            ? rowsOf(world.modes)
            : Object.entries(wire).find(([route]) => route === `${request.method} ${path}`)?.[1]
  const answered = request.method === 'GET' ? isOrders(path) && world.readAnswer : world.orderAnswer
  const json = answered ? await answered() : (listed ?? { success: false, code: -1006 })
  return { status: 200, contentType: 'application/json', body: JSON.stringify(json) }
}

function rowsOf(rows: readonly object[]) {
  return { success: true, data: { rows, meta: { total: rows.length } } }
}

const LEVERAGES = [
  { symbol: BTC, margin_mode: 'CROSS', leverage: 10 },
  { symbol: BTC, margin_mode: 'ISOLATED', leverage: 5 },
]

function isOrders(path = ''): boolean {
  return path.startsWith('/v1/order')
}

function positions() {
  const { data, ...envelope } = wire['GET /v1/positions']
  const rows = world.positions ?? data.rows
  return { ...envelope, data: { ...data, rows, total_pnl_24_h: world.dayResult } }
}

/** Relays the reads that figures of the account come from. */
export async function readFigures(on = world.instance): Promise<void> {
  for (const path of [...FIGURE_READS, ...Object.values(DAY_READS)])
    expect((await call({ method: 'GET', path }, caller, on)).outcome).toBe('sent')
}

let counter = 0

/** Gives the account a mandate. */
export async function mandate(limits: Limits, frozenBy: 'none' | 'key' = 'none') {
  counter += 1
  const accountId = caller.accountId.toLowerCase()
  const signed = { accountId, limits, counter, frozenBy, changedAtMs: 0 }
  expect(await world.instance.gateway.mandates.put(signed)).toBe(true)
}

/** What a call is answered: `sent`, or the failure. */
export async function call(
  asked: TestCall,
  by: TestCaller = caller,
  on = world.instance,
  needsApproval = false,
) {
  time.nowMs += 1
  const signed = envelope(by, { ...asked, timestamp: String(time.nowMs) })
  const sending = () => send(signed, on, needsApproval)
  return { again: sending, outcome: await sending() }
}

function send(signed: ReturnType<typeof envelope>, on: Instance, needsApproval: boolean) {
  return relay(on.gateway, signed, FROM, needsApproval).then(
    ({ headers }) => headers['x-prepd-replay'] ?? 'sent',
    ({ code, meta }: Failure) => ({ code, ...meta }),
  )
}

/** A write with a body. */
export const post = (path: string, body: object | string): TestCall => ({
  method: 'POST',
  path,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
/** An order of so much USDC at 50,000. */
export const buy = (usdc: number, own: object = {}) =>
  post('/v1/order', {
    ...{ symbol: BTC, side: 'BUY', order_type: 'LIMIT' },
    ...{ order_price: 50_000, order_quantity: usdc / 50_000 },
    ...own,
  })
/** What a call of the account is answered. */
export const outcomeOf = async (asked: TestCall) => (await call(asked)).outcome
