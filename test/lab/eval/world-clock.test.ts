// Slow: worlds are opened and run, and agents are programs of their own.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { CALLS, openEvaluations } from './fixture.ts'

let here: ReturnType<typeof openEvaluations>
beforeEach(() => {
  here = openEvaluations()
})
afterEach(() => here[Symbol.dispose]())

/** Runs a program in the world of seed 7, and answers the run and what its program printed as errors, a JSON line each. */
const ran = async (program: string, out = 'out', lines = '') => {
  const flags = ['--agent', here.program(CALLS + program), '--seed', '7']
  await here.evaluate('run', lines, out, ...flags)
  const printed = here.errorsOf(out).trim().split('\n')
  return { ...here.runOf(out), printed: printed.map((line) => JSON.parse(line || 'null')) }
}

const RESTING = `
const { market, rules } = await call('get_market', { symbol: 'PERP_ETH_USDC' })
const order_price = Math.round(market.mark_price * 0.95)
const show = (value) => console.error(JSON.stringify(value))
await call('get_account')
const { order_id } = await call('place_order', { symbol: 'PERP_ETH_USDC', side: 'BUY', order_type: 'LIMIT', order_price, order_quantity: 0.1 })
const status = async () => (await call('get_order', { order_id })).status
`

describe('a standby in an evaluation', () => {
  test("is sent when it is due by the world's clock, and not a millisecond before", async () => {
    const { printed } = await ran(`${RESTING}
const armed = await call('standby', { action: 'arm', after_seconds: 10 })
await call('advance_clock', { seconds: 9 })
show(await call('standby', { action: 'show' }))
show(await status())
const { now } = await call('advance_clock', { seconds: 1 })
const ended = await call('standby', { action: 'show' })
show([ended.state, ended.ended_at_ms - armed.sends_at_ms, now - armed.sends_at_ms])
show(await status())
process.exit(0)
`)
    const [waiting, open, ended, cancelled] = printed
    expect(waiting).toMatchObject({ state: 'armed' })
    expect(open).toBe('NEW')
    expect(ended).toEqual(['cancelled', 0, 0])
    expect(cancelled).toBe('CANCELLED')
  })

  test('is sent within a longer step, at its own time', async () => {
    const { printed } = await ran(`${RESTING}
const armed = await call('standby', { action: 'arm', after_seconds: 10 })
const { steps } = await call('advance_clock', { seconds: 240 })
const ended = await call('standby', { action: 'show' })
show([steps[0].advanced_ms, ended.state, ended.ended_at_ms - armed.sends_at_ms])
show(await status())
process.exit(0)
`)
    expect(printed).toEqual([[240_000, 'cancelled', 0], 'CANCELLED'])
  })

  test('is put off where it is armed again, and sent at the end of its time', async () => {
    const { printed } = await ran(`${RESTING}
for (let at = 0; at < 4; at += 1) {
  await call('standby', { action: 'arm', after_seconds: 100 })
  await call('advance_clock', { seconds: 99 })
}
show(await status())
await call('advance_clock', { seconds: 1 })
show(await status())
process.exit(0)
`)
    expect(printed).toEqual(['NEW', 'CANCELLED'])
  })
})

describe('a wait in an evaluation', () => {
  test("lets the world's time pass, to its end and no further", async () => {
    const { printed, figures } = await ran(`${RESTING}
const look = await call('wait_for', { symbol: 'PERP_ETH_USDC', until: 'price_above', value: 1e6, timeoutSeconds: 40 })
const { now } = await call('advance_clock', { seconds: 0 })
show([look.met, now])
process.exit(0)
`)
    expect(printed).toEqual([[false, Date.UTC(2026, 0, 1) + 40_000]])
    expect(figures).toMatchObject({ errors: 0, refusals: 0 })
  })

  test('ends when what it is for is there', async () => {
    const { printed } = await ran(`${RESTING}
const candle = await call('wait_for', { symbol: 'PERP_ETH_USDC', until: 'candle_close', timeoutSeconds: 50 })
const more = await call('wait_for', { symbol: 'PERP_ETH_USDC', until: 'candle_close', timeoutSeconds: 50 })
show([candle.met, more.met])
await call('standby', { action: 'arm', after_seconds: 10 })
const begun = await call('advance_clock', { seconds: 0 })
const done = await call('wait_for', { symbol: 'PERP_ETH_USDC', until: 'order_done', order_id, timeoutSeconds: 50 })
show([done.met, done.observed.status, done.ts - begun.now])
process.exit(0)
`)
    const [[first, second], [met, status, tookMs]] = printed
    expect([first, second]).toContain(true)
    expect([met, status]).toEqual([true, 'CANCELLED'])
    expect(tookMs).toBeGreaterThanOrEqual(9000)
    expect(tookMs).toBeLessThan(12_000)
  })

  test('may be longer than one that takes real time', async () => {
    const { printed } = await ran(
      `
const { now: before } = await call('advance_clock', { seconds: 0 })
const look = await call('wait_for', { symbol: 'PERP_ETH_USDC', until: 'price_above', value: 1e6, timeoutSeconds: 120 })
const { now } = await call('advance_clock', { seconds: 0 })
show([look.met, now - before])
process.exit(0)
`.replace('\n', '\nconst show = (value) => console.error(JSON.stringify(value))\n'),
    )
    expect(printed).toEqual([[false, 120_000]])
  })

  test('ends with the time of the evaluation', async () => {
    const { figures } = await ran(`
for (;;) await call('wait_for', { symbol: 'PERP_ETH_USDC', until: 'price_above', value: 1e6, timeoutSeconds: 50 })
`)
    expect(figures).toMatchObject({ calls: 24, errors: 0, finished: 1 })
  })
})

test('an agent reads in the instructions that time stands between calls, and how it passes', async () => {
  const { printed } = await ran(`
const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } }
process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }) + '\\n')
console.error(JSON.stringify(JSON.parse((await lines.next()).value).result.instructions))
process.exit(0)
`)
  expect(printed[0]).toContain('Venue time stands still between calls.')
  expect(printed[0]).toContain('advance_clock')
})

test.each(['', 'latency = "entry=20/5,answer=20/5"\n'])(
  'standbys and waits end in the same world in a run, a second run and a replay %s',
  async (lines) => {
    const agent = `${RESTING}
await call('place_order', { symbol: 'PERP_ETH_USDC', side: 'BUY', order_type: 'MARKET', order_amount: 500 })
for (let at = 0; at < 10; at += 1) {
  await call('standby', { action: 'arm', after_seconds: 10 + at })
  await call('preview_order', { symbol: 'PERP_ETH_USDC', side: 'SELL', order_type: 'MARKET', order_amount: 40 })
  await call('place_order', { symbol: 'PERP_ETH_USDC', side: 'BUY', order_type: 'MARKET', order_amount: 20, stop_loss: order_price })
  await call('get_report')
  await call('place_order', { symbol: 'PERP_ETH_USDC', side: 'SELL', order_type: 'LIMIT', order_price: Math.round(market.mark_price * 1.0005), order_quantity: 0.02 })
  await call('wait_for', { symbol: 'PERP_ETH_USDC', until: at % 2 ? 'candle_close' : 'price_above', value: market.mark_price * 1.001, timeoutSeconds: 20 + at })
}
for (;;) await call('advance_clock', { seconds: 61 })
`
    const first = await ran(agent, 'first', lines)
    expect(first.figures).toMatchObject({ errors: 0 })
    expect(first.figures.tradedUsdc).toBeGreaterThan(0)
    const second = await ran(agent, 'second', lines)
    expect(second.hash).toBe(first.hash)
    expect(second.figures).toEqual(first.figures)
    expect(second.curve).toEqual(first.curve)
    expect(await here.evaluate('replay', lines, 'first', '--seed', '7')).toEqual({
      exitCode: 0,
      lines: [`seed 7: the same world, ${first.hash}`],
    })
  },
)
