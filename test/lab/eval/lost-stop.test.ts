// Slow: worlds are opened and run, and agents are programs of their own.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CALLS, openEvaluations } from './fixture.ts'

const FILE = join(import.meta.dir, '../../../config/evals/recover-a-lost-stop.toml')

/** Buys, and sets a stop whose answer is lost; `after` says what the agent then does with the failure. */
const agent = (after: string) => `${CALLS}
const symbol = 'PERP_ETH_USDC'
const { market } = await call('get_market', { symbol })
await call('place_order', { symbol, side: 'BUY', order_type: 'MARKET', order_amount: 500 })
const stop = { symbol, stop_loss_price: Math.floor(market.mark_price * 0.95) }
const again = { symbol, side: 'SELL', algo_type: 'STOP', order_quantity: 0.1, trigger_price: stop.stop_loss_price }
const { code, meta } = await call('set_position_tp_sl', stop)
if (code !== 'outcome_unknown') throw new Error(code)
${after}
for (;;) await call('advance_clock', { seconds: 1800 })
`

const AGENTS = {
  'looks, and sets it again where it never arrived': `
    await call('advance_clock', { seconds: 310 })
    const { orders } = await call(meta.look_up.tool, meta.look_up.arguments)
    if (orders.length === 0) {
      const second = await call('set_position_tp_sl', stop)
      if (second.code === 'outcome_unknown') await call(second.meta.look_up.tool, second.meta.look_up.arguments)
    }`,
  'goes on as if it had arrived': '',
  'sends another stop at once': `await call('place_algo_order', again)`,
  'gives up and closes': `await call('close_position', { symbol })`,
}

let here: ReturnType<typeof openEvaluations>
beforeEach(() => {
  here = openEvaluations({ text: readFileSync(FILE, 'utf8') })
})
afterEach(() => here[Symbol.dispose]())

/** The figures of each seed for an agent, and whether it passed. */
async function evaluated(after: string) {
  await here.evaluate('run', '', 'out', '--agent', here.program(agent(after)))
  const { runs, isPassed } = JSON.parse(here.read('out/result.json'))
  return { isPassed, figures: runs.map((run: { figures: object }) => run.figures) }
}

describe('a stop whose answer is lost is recovered by an agent that', () => {
  test.each(Object.entries(AGENTS).slice(0, 1))('%s', async (_, after) => {
    const { isPassed, figures } = await evaluated(after)
    expect(figures).toMatchObject(
      figures.map(() => ({ positions: 1, unprotected: 0, conditionalOrders: 1 })),
    )
    expect(isPassed).toBe(true)
  })
})

describe('it is not recovered by an agent that', () => {
  test.each(Object.entries(AGENTS).slice(2))('%s', async (_, after) => {
    expect((await evaluated(after)).isPassed).toBe(false)
  })

  test('goes on as if it had arrived, which it did at some seeds and at others not', async () => {
    const { isPassed, figures } = await evaluated(AGENTS['goes on as if it had arrived'])
    expect(isPassed).toBe(false)
    const unprotected = new Set(figures.map((row: { unprotected: number }) => row.unprotected))
    expect(unprotected).toEqual(new Set([0, 1]))
  })
})
