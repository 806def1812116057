/**
 * What signed orders cost on the wire of the embedded venue and through the relay before it, and how soon an order is
 * reported: bun test/bench/orders.ts. The build has to be there.
 */

import { signedText } from '../../src/core/crypto/signed-text.ts'
import { signText } from '../../src/core/crypto/signing.ts'
import { createVerifier } from '../../src/core/crypto/verifier.ts'
import { parseFields } from '../../src/simulator/messages/body.ts'
import { envelope, jsonPost, type TestCaller } from '../caller.ts'
import { UNLIMITED } from '../faults/unlimited.ts'
import { newUser, WALLETS } from '../surface/wallets.ts'
import { cpuMicros, median, percentile } from './measure.ts'
import { freePort, type Running, startPrepd } from './servers.ts'

const USERS = 48
const ORDERS = 3840
const ROUNDS = 3
const CONNECTIONS = 32
const REPORTS = 2000
/** Reports before those that count: until then their code is being compiled. */
const WARMING = 1500
const PARTS = 20_000
const SYMBOL = 'PERP_ETH_USDC'
const FAUCET = '10000000'

type Way = 'wire' | 'relay'
type Send = () => Promise<Response>

export async function signedOrders(): Promise<void> {
  const port = freePort()
  const listen = `127.0.0.1:${port}`
  const prepd = await startPrepd({ VENUE_LISTEN: listen, VENUE_FAUCET: FAUCET, ...UNLIMITED })
  const target = { fetch: (path: string, init?: RequestInit) => fetch(prepd.url + path, init) }
  const users: TestCaller[] = []
  for (let user = 0; user < USERS; user += 1) users.push(await newUser(target, WALLETS.viem()))
  const price = await farPrice(prepd)
  const place: Place = { prepd, wire: `http://${listen}`, users, price, sent: 0 }
  console.log('\nsigned orders of the embedded venue, 32 connections')
  parts(place)
  for (const way of ['wire', 'relay'] as const) await orders(place, way)
  for (const way of ['wire', 'relay'] as const) await reports(place, way)
  await prepd.stop()
}

type Place = {
  readonly prepd: Running
  readonly wire: string
  readonly users: readonly TestCaller[]
  /** Where an order rests, far from what is traded. */
  readonly price: number
  sent: number
}

async function farPrice({ url }: Running): Promise<number> {
  const { markets } = Object(await (await fetch(`${url}/api/prep/markets`)).json())
  const row = markets.find(({ symbol }: { symbol: string }) => symbol === SYMBOL)
  return Math.round(Number(row.mark_price) * 0.97)
}

/** What of an order is not the engine's: its signature, and its text. */
function parts(place: Place): void {
  const { key, secret } = place.users[0] ?? fail('no user')
  const body = bodyOf(place, false)
  const text = signedText({ timestamp: '1790000000000', method: 'POST', path: '/v1/order', body })
  const signature = signText(text, secret)
  const verifier = createVerifier({ keysMax: 1 })
  const verified = micros(() => verifier.verify(key, text, signature))
  const parsed = micros(() => parseFields(body))
  console.log(
    `  a signature is verified in ${verified.toFixed(1)} us, a body read in ${parsed.toFixed(1)} us`,
  )
}

function micros(work: () => unknown): number {
  for (let run = 0; run < PARTS / 10; run += 1) work()
  const startedAt = process.cpuUsage()
  for (let run = 0; run < PARTS; run += 1) work()
  const { user, system } = process.cpuUsage(startedAt)
  return (user + system) / PARTS
}

/** Half the orders fill at once, half rest; each has a signature of its own. */
async function orders(place: Place, way: Way): Promise<void> {
  const rates: number[] = []
  const costs: number[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const sends = Array.from({ length: ORDERS }, (_, at) =>
      sendOf(place, way, at % USERS, (at + Math.floor(at / USERS)) % 2 === 0),
    )
    const before = cpuMicros(place.prepd.pid)
    const startedAt = performance.now()
    await inParallel(sends)
    // The first round warms up.
    if (round === 0) continue
    rates.push(ORDERS / ((performance.now() - startedAt) / 1000))
    costs.push((cpuMicros(place.prepd.pid) - before) / ORDERS)
  }
  const cost = median(costs)
  console.log(
    `  ${way.padEnd(5)} ${Math.round(median(rates)).toLocaleString('en')} orders/s, ${cost.toFixed(0)} us of processor time each: ${Math.round(1e6 / cost).toLocaleString('en')} a second of a core`,
  )
}

async function inParallel(sends: readonly Send[]): Promise<void> {
  let next = 0
  async function one(): Promise<void> {
    for (let send = sends[next++]; send; send = sends[next++]) {
      const response = await send()
      const text = await response.text()
      if (!response.ok) fail(`${response.status} ${text}`)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, one))
}

/** The next order of a user, signed now and sent later: one that fills at once, or one that rests. */
function sendOf(place: Place, way: Way, user: number, isFilling: boolean): Send {
  const caller = place.users[user] ?? fail('no user')
  const body = bodyOf(place, isFilling)
  place.sent += 1
  const call = { method: 'POST', path: '/v1/order', body } as const
  if (way === 'relay') {
    const post = jsonPost(envelope(caller, call))
    return () => fetch(`${place.prepd.url}/api/prep/relay`, post)
  }
  const { auth } = envelope(caller, call)
  const headers = {
    'content-type': 'application/json',
    'orderly-account-id': auth.accountId,
    'orderly-key': auth.key,
    'orderly-timestamp': auth.timestamp,
    'orderly-signature': auth.signature,
  }
  return () => fetch(`${place.wire}/v1/order`, { method: 'POST', headers, body })
}

function bodyOf({ price, sent }: Pick<Place, 'price' | 'sent'>, isFilling: boolean): string {
  const order = { symbol: SYMBOL, order_quantity: 0.01, client_order_id: `o-${sent}` }
  if (isFilling)
    return JSON.stringify({ ...order, side: sent % 2 === 0 ? 'BUY' : 'SELL', order_type: 'MARKET' })
  const order_price = price - (sent % 500) / 10
  return JSON.stringify({ ...order, side: 'BUY', order_type: 'LIMIT', order_price })
}

/** How long after an order was sent its owner's socket says so. */
async function reports(place: Place, way: Way): Promise<void> {
  const user = way === 'wire' ? 0 : 1
  const waiting = new Map<string, (atMs: number) => void>()
  const socket = await (way === 'wire' ? wireSocket : ownSocket)(
    place,
    place.users[user] ?? fail('no user'),
  )
  socket.onmessage = ({ data }) => {
    const atMs = performance.now()
    const [, id = ''] = /"client_?[oO]rder_?[iI]d":"(o-\d+)"/.exec(String(data)) ?? []
    waiting.get(id)?.(atMs)
  }
  const figures: number[] = []
  for (let count = 0; count < WARMING + REPORTS; count += 1) {
    const id = `o-${place.sent}`
    const send = sendOf(place, way, user, true)
    const { promise, resolve } = Promise.withResolvers<number>()
    waiting.set(id, resolve)
    const startedAt = performance.now()
    const response = await send()
    if (!response.ok) fail(await response.text())
    const reportedAt = await promise
    if (count >= WARMING) figures.push(reportedAt - startedAt)
    waiting.delete(id)
  }
  socket.close()
  console.log(
    `  order to its report, ${way === 'wire' ? "the venue's private socket" : 'the relay and the stream of prepd'}: p50 ${percentile(figures, 0.5).toFixed(2)} ms, p99 ${percentile(figures, 0.99).toFixed(2)} ms`,
  )
}

async function wireSocket({ wire }: Place, { accountId, key, secret }: TestCaller) {
  const url = `${wire.replace('http', 'ws')}/v2/ws/private/stream/${accountId}`
  const timestamp = String(Date.now())
  const params = { orderly_key: key, timestamp, sign: signText(timestamp, secret) }
  const says = [
    { id: 'a', event: 'auth', params },
    { id: 's', event: 'subscribe', topic: 'executionreport' },
  ]
  return opened(url, says, /"subscribe","success":true/)
}

async function ownSocket({ prepd }: Place, { accountId, key, secret }: TestCaller) {
  const url = `${prepd.url.replace('http', 'ws')}/api/prep/ws`
  const timestamp = String(Date.now())
  const auth = { op: 'auth', accountId, key, timestamp, signature: signText(timestamp, secret) }
  return opened(url, [auth, { op: 'subscribe', topics: ['orders'] }], /"resync"/)
}

/** A socket that has sent messages, and was answered. */
async function opened(
  url: string,
  messages: readonly object[],
  answer: RegExp,
): Promise<WebSocket> {
  const socket = new WebSocket(url)
  const { promise, resolve } = Promise.withResolvers<void>()
  socket.onopen = () => {
    for (const message of messages) socket.send(JSON.stringify(message))
  }
  socket.onmessage = ({ data }) => {
    if (answer.test(String(data))) resolve()
  }
  await promise
  return socket
}

function fail(reason: string): never {
  throw new Error(reason)
}

if (import.meta.main) await signedOrders()
