/**
 * A client in a process of its own: places orders for its accounts, arms and renews their standby cancels, and withdraws
 * some. It writes a line before each deposit and after each order; its first line of input is its part.
 */
import { writeSync } from 'node:fs'
import { ClientFailure, createClient } from '../../../src/agents/client/client.ts'
import { STANDBY_PATH } from '../../../src/contract/standby.ts'
import { envelope, type TestCaller } from '../../caller.ts'

/** What a client is given: the instances, and its accounts with their places in the list of all. */
export type ClientPart = {
  readonly urls: readonly string[]
  readonly accounts: readonly (Omit<TestCaller, 'secret'> & {
    readonly at: number
    readonly secret: readonly number[]
  })[]
  readonly symbol: string
  readonly price: number
}

/** What a client writes. */
export type ClientLine =
  | { readonly what: 'arm'; readonly at: number; readonly signed: readonly Signed[] }
  | { readonly what: 'order'; readonly at: number; readonly atMs: number; readonly id: number }

/** One cancel of a deposit. */
export type Signed = { readonly timestamp: number; readonly signature: string }

/** How long a deposit waits for a sign of life. */
export const AFTER_MS = 10_000
/** The cancels of a deposit are signed at most so far apart. */
export const APART_MAX_MS = 20_000
const PAUSE_MS = 3000
const WITHDRAWN = 0.06
const PLACED = 0.3

if (import.meta.main) await run(JSON.parse(await Bun.stdin.text()))

async function run({ accounts, ...part }: ClientPart): Promise<void> {
  await Promise.all(accounts.map((account) => live(part, account)))
}

type Account = ClientPart['accounts'][number]

async function live(part: Omit<ClientPart, 'accounts'>, account: Account): Promise<void> {
  const caller = { ...account, secret: Uint8Array.from(account.secret) }
  for (;;) {
    const baseUrl = part.urls[Math.random() < 0.5 ? 0 : 1] ?? ''
    const client = createClient({ baseUrl, transport: fetch, nowMs: Date.now })
    try {
      if (Math.random() < PLACED) await place(client, part, caller)
      await arm(client, caller)
      await Bun.sleep(PAUSE_MS * (0.5 + Math.random()))
      if (Math.random() < WITHDRAWN)
        await client.relay(caller, { method: 'DELETE', path: STANDBY_PATH })
    } catch (error) {
      if (!(error instanceof ClientFailure)) throw error
      await Bun.sleep(PAUSE_MS / 4)
    }
  }
}

type Caller = TestCaller & { readonly at: number }
type TestClient = ReturnType<typeof createClient>

async function place(client: TestClient, part: Omit<ClientPart, 'accounts'>, caller: Caller) {
  const { symbol, price } = part
  const order = { symbol, side: 'BUY', order_type: 'LIMIT', order_quantity: 0.01 }
  const body = JSON.stringify({ ...order, order_price: price })
  const answer = Object(await client.relay(caller, { method: 'POST', path: '/v1/order', body }))
  write({ what: 'order', at: caller.at, atMs: Date.now(), id: Number(answer.order_id) })
}

async function arm(client: TestClient, caller: Caller): Promise<void> {
  const fromMs = Date.now()
  const apartMs = 1000 + Math.floor(Math.random() * (APART_MAX_MS - 1000))
  const envelopes = Array.from({ length: 1 + Math.floor(3 * Math.random()) }, (_, at) =>
    envelope(caller, {
      ...{ method: 'DELETE', path: '/v1/orders' },
      timestamp: String(fromMs + at * apartMs),
    }),
  )
  const signed = envelopes.map(({ auth: { timestamp, signature } }) => ({
    ...{ timestamp: Number(timestamp), signature },
  }))
  write({ what: 'arm', at: caller.at, signed })
  await client.post(STANDBY_PATH, { envelopes, afterMs: AFTER_MS })
}

/** Before anything else happens: the process may end at any moment. */
function write(line: ClientLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}
