// An agent for `prepd --mode admin eval run`: an MCP client over its standard streams. It buys once, protects the
// position, and lets time pass until its input ends. Nothing to install: Node.js 20 or later, or Bun.
import { createInterface } from 'node:readline'

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
let ids = 0

/** Calls a tool. Answers its result, or exits when the time of the evaluation is over. */
async function call(name, given = {}) {
  ids += 1
  const request = { jsonrpc: '2.0', id: ids, method: 'tools/call', params: { name, arguments: given } }
  process.stdout.write(`${JSON.stringify(request)}\n`)
  const { value, done } = await lines.next()
  if (done) process.exit(0)
  const { result } = JSON.parse(value)
  const answer = JSON.parse(result.content[0].text)
  if (result.isError) process.stderr.write(`${name}: ${answer.code}\n`)
  return answer
}

const [symbol] = process.env.PREPD_EVAL_MARKETS.split(',').slice(-1)
const { market } = await call('get_market', { symbol })
const stop_loss = Number((market.mark_price * 0.95).toPrecision(4))
await call('place_order', { symbol, side: 'BUY', order_type: 'MARKET', order_amount: 500, stop_loss })

const seconds = Math.ceil(process.env.PREPD_EVAL_STEP_MS / 1000)
for (;;) await call('advance_clock', { seconds })
