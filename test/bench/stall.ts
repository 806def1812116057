/** The longest waits while the embedded venue simulates a day at once: `bun test/bench/stall.ts`. */
import { DAY_MS } from '../../src/contract/durations.ts'
import { envelope, jsonPost, type TestCaller } from '../caller.ts'
import { UNLIMITED } from '../faults/unlimited.ts'
import { newUser, WALLETS } from '../surface/wallets.ts'
import { note } from './aims.ts'
import { percentile } from './measure.ts'
import { type Running, startPrepd } from './servers.ts'

const SYMBOL = 'PERP_ETH_USDC'
/** A price far below the market’s, at which an order rests. */
const RESTING_SHARE = 0.75
/** Time between two calls of a kind, so that the calls load the venue little. */
const GAPS_MS = { read: 1, book: 20, order: 20 } as const

type Call = () => Promise<Response>

/** Reads a cached answer and an order book, and sends signed orders, while a virtual clock is moved by a day. */
export async function longestStall(): Promise<void> {
  const prepd = await startPrepd(
    { VENUE_CLOCK: 'virtual', OPS_LISTEN: '127.0.0.1:0', ...UNLIMITED },
    null,
  )
  const user = await newUser(
    { fetch: (path: string, init?: RequestInit) => fetch(prepd.url + path, init) },
    WALLETS.viem(),
  )
  const price = await restingPrice(prepd)
  let isOver = false
  const day = simulateDay(prepd).finally(() => {
    isOver = true
  })
  const waitsOf = (call: Call, gapMs: number) => waits(call, gapMs, () => isOver)
  const [reads, books, orders] = await Promise.all([
    waitsOf(() => fetch(`${prepd.url}/api/prep/config`), GAPS_MS.read),
    waitsOf(() => fetch(`${prepd.url}/api/prep/orderbook?symbol=${SYMBOL}`), GAPS_MS.book),
    waitsOf(orderCalls(prepd, user, price), GAPS_MS.order),
  ])
  const tookMs = await day
  await prepd.stop()
  note('stall', Math.max(...reads))
  note('stallBook', Math.max(...books))
  note('stallOrder', Math.max(...orders))
  console.log(`\nwaits while a day is simulated in ${tookMs.toFixed(0)} ms`)
  for (const [name, found] of Object.entries({ 'cached reads': reads, books, orders }))
    console.log(
      `  ${name}: p99 ${percentile(found, 0.99).toFixed(1)} ms, longest ${Math.max(...found).toFixed(1)} ms of ${found.length}`,
    )
}

async function waits(call: Call, gapMs: number, isOver: () => boolean): Promise<number[]> {
  const found: number[] = []
  while (!isOver()) {
    const startedMs = performance.now()
    const answer = await call()
    const text = await answer.text()
    found.push(performance.now() - startedMs)
    if (!answer.ok) throw new Error(`${answer.status} ${text}`)
    await Bun.sleep(gapMs)
  }
  return found
}

async function restingPrice({ url }: Running): Promise<number> {
  const { markets } = Object(await (await fetch(`${url}/api/prep/markets`)).json())
  const row = markets.find(({ symbol }: { symbol: string }) => symbol === SYMBOL)
  return Math.round(Number(row.mark_price) * RESTING_SHARE)
}

/** Places an order, then cancels all, and so on: the book does not grow. */
function orderCalls({ url }: Running, user: TestCaller, price: number): Call {
  let sent = 0
  return () => {
    const id = `stall-${Math.floor(sent / 2)}`
    const isPlacing = sent % 2 === 0
    sent += 1
    const order = { symbol: SYMBOL, side: 'BUY', order_type: 'LIMIT', order_quantity: 0.1 }
    const body = JSON.stringify({ ...order, order_price: price, client_order_id: id })
    const call = isPlacing
      ? ({ method: 'POST', path: '/v1/order', body } as const)
      : ({ method: 'DELETE', path: `/v1/orders?symbol=${SYMBOL}` } as const)
    return fetch(`${url}/api/prep/relay`, jsonPost(envelope(user, call)))
  }
}

/** Moves the clock by a day, in as many calls as that takes; answers how long it took, in milliseconds. */
async function simulateDay({ opsUrl }: Running): Promise<number> {
  const startedMs = performance.now()
  let leftMs = DAY_MS
  while (leftMs > 0) {
    const moved = await fetch(`${opsUrl}/venue/advance?ms=${leftMs}`, { method: 'POST' })
    const { leftMs: left } = Object(await moved.json())
    if (!moved.ok) throw new Error(`the clock was not moved: ${moved.status}`)
    leftMs = Number(left)
  }
  return performance.now() - startedMs
}

if (import.meta.main) await longestStall()
