// An agent of the benches: buys for a tenth of its account and sells it a minute later, so many times at moments of its own.
import { createInterface } from 'node:readline'

const [, , seed, rounds] = process.argv.map(Number)
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const minutes = Number(process.env.PREPD_EVAL_LENGTH_MS) / 60_000
const [symbol] = process.env.PREPD_EVAL_MARKETS.split(',').slice(-1)
let [ids, drawn] = [0, seed * 7919 + Number(process.env.PREPD_EVAL_SEED)]

async function call(name, given) {
  ids += 1
  const params = { name, arguments: given }
  process.stdout.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: ids, method: 'tools/call', params })}\n`,
  )
  const { value, done } = await lines.next()
  if (done) process.exit(0)
  return JSON.parse(JSON.parse(value).result.content[0].text)
}

/** A number from 0 to 1 of this agent in this world (a linear congruential generator). */
function random() {
  drawn = (drawn * 48_271) % 2_147_483_647
  return drawn / 2_147_483_647
}

const pairs = Math.floor(minutes / 2)
const chosen = Array.from({ length: pairs }, (_, at) => ({ at, key: random() }))
  .sort((a, b) => a.key - b.key)
  .slice(0, rounds)
  .map(({ at }) => at)
const moments = new Set(chosen)
for (let at = 0; ; at += 1) {
  const trades = moments.has(at)
  const order = { symbol, order_type: 'MARKET' }
  const placed =
    trades && (await call('place_order', { ...order, side: 'BUY', order_amount: 1000 }))
  await call('advance_clock', { seconds: 60 })
  const { order_quantity } = placed || {}
  if (trades)
    await call('place_order', { ...order, side: 'SELL', order_quantity, reduce_only: true })
  await call('advance_clock', { seconds: 60 })
}
