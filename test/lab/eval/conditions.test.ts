// Slow: worlds are opened and run.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { openEvaluations, SHORT } from './fixture.ts'

const text = SHORT.replace('20m', '10m').replace('5m', '2m')

let here: ReturnType<typeof openEvaluations>
beforeEach(() => {
  here = openEvaluations({ text })
})
afterEach(() => here[Symbol.dispose]())

/** Runs a baseline under further lines of the file; answers its run and its calls. */
async function held(lines: string, baseline = 'hold') {
  const flags = ['--seed', '7', '--agent', baseline]
  const { exitCode, lines: printed } = await here.evaluate('run', lines, 'out', ...flags)
  if (exitCode === 64) return { printed, figures: {}, curve: { atMs: [] }, calls: [] }
  return { printed, ...here.runOf('out'), calls: here.logOf('out') }
}

describe('the conditions of an evaluation', () => {
  test('latency is time of the venue: a call takes its ways, and what it costs is measured', async () => {
    const { calls, figures, curve } = await held('latency = "entry=50000,answer=45000"')
    const takenMs = calls[1].atMs - calls[0].atMs
    expect(takenMs).toBeGreaterThan(0)
    expect(takenMs % 95_000).toBe(0)
    expect(figures).toMatchObject({ orders: 1, finished: 1 })
    expect(figures.impactUsdc).not.toBe(0)
    expect(curve.atMs.at(-1) - curve.atMs[0]).toBe(600_000)
  })

  test('without it a call takes no time', async () => {
    const { calls } = await held('')
    expect(calls[1].atMs).toBe(calls[0].atMs)
  })

  test('an account is measured too where a call takes longer than a step, or beyond the end', async () => {
    const { curve, figures } = await held('latency = "entry=60000/60000,answer=60000/60000"')
    expect(curve.atMs.length).toBeGreaterThan(3)
    expect(curve.atMs.at(-1) - curve.atMs[0]).toBeGreaterThanOrEqual(600_000)
    expect(curve.value.at(-1)).toBe(figures.endUsdc)
  })

  test('faults hit the calls of the agent and none of the measuring', async () => {
    const { calls, figures } = await held('[[faults]]\nkind = "error-500"\nprobability = "100%"')
    expect(calls[0].outcome).toBe('upstream_unavailable')
    expect(figures).toMatchObject({ orders: 0, errors: 5, endUsdc: 10_000, finished: 1 })
  })

  test('a fault with a count is gone after it', async () => {
    const lost = await held('[[faults]]\nkind = "reset-after"\npath = "/v1/order"\ncount = 1')
    expect(lost.calls[0].outcome).toBe('outcome_unknown')
    expect(lost.figures).toMatchObject({ orders: 1, errors: 1 })
    expect(lost.calls[1]).toMatchObject({ tool: 'list_orders', outcome: 'ok' })
  })

  test('an order that did not arrive, or that limits leave no room for, is made again by a baseline', async () => {
    const fault = '[[faults]]\nkind = "error-500"\npath = "/v1/order"\ncount = 1'
    const again = await held(fault)
    expect(again.figures).toMatchObject({ orders: 1, errors: 1, positions: 1 })
    const limited = await held('[limits]\nmax_order_usdc = 1')
    expect(limited.figures).toMatchObject({ orders: 0, limitHits: 0, calls: 10 })
  })

  test.each([
    ['hold', 1, 0.8 * 1000],
    ['maker', 2, 0],
  ])('the baseline %s keeps to the limits of the file', async (name, orders, usdc) => {
    const limits = 'max_order_usdc = 1000\nmax_daily_usdc = 1200\nmax_orders_per_minute = 2\n'
    const { figures } = await held(`[limits]\n${limits}`, name)
    expect(figures).toMatchObject({ limitHits: 0, refusals: 0, errors: 0 })
    expect(figures.orders).toBeGreaterThanOrEqual(orders)
    expect(figures.tradedUsdc).toBeWithin(usdc, 1200)
  })

  test.each([
    ['latency = "soon"', 'latency must be ms and deviation of each way such as'],
    ['faults = [{ kind = "luck" }]', 'faults[0]: kind must be one of delay, '],
    ['faults = [{ path = "*" }]', 'faults[0]: kind must be one of delay, '],
    ['faults = [{ kind = "busy", hour = 3 }]', 'faults[0]: hour must be one of kind, path, '],
    ['faults = [{ kind = true }]', 'faults[0].kind'],
  ])('%s is refused by name', async (line, problem) => {
    expect((await held(line)).printed.join('\n')).toContain(problem)
  })
})
