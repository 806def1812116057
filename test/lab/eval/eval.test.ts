// Slow: worlds are opened and run, and an agent is a program of its own.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { CALLS, openEvaluations, SHORT } from './fixture.ts'

let here: ReturnType<typeof openEvaluations>
beforeEach(() => {
  here = openEvaluations()
})
afterEach(() => here[Symbol.dispose]())

const evaluate = (command: string, lines: string, ...flags: readonly string[]) =>
  here.evaluate(command, lines, 'out', ...flags)

describe('an evaluation', () => {
  test('measures an agent in the world of each seed, and writes figures, curves and a page', async () => {
    const { exitCode, lines } = await evaluate('run', '', '--agent', 'hold')
    expect(exitCode).toBe(0)
    expect(lines[0]).toBe('hold: 2 worlds')
    const { runs, distributions, isPassed } = JSON.parse(here.read('out/result.json'))
    expect(isPassed).toBe(true)
    const [first, second] = runs
    expect([first.seed, second.seed]).toEqual([7, 8])
    expect(first.hash).not.toBe(second.hash)
    const { figures, curve } = first
    expect(curve.atMs).toHaveLength(5)
    expect(curve.value[0]).toBe(10_000)
    expect(curve.value.at(-1)).toBe(figures.endUsdc)
    expect(figures).toMatchObject({
      positions: 1,
      unprotected: 1,
      orders: 1,
      fillRatio: 1,
      timeInMarket: 0.8,
    })
    expect(figures.tradingUsdc + figures.feesUsdc + figures.fundingUsdc).toBeCloseTo(
      figures.pnlUsdc,
      5,
    )
    expect(figures.feesUsdc).toBeCloseTo(-figures.tradedUsdc * 0.0006, 3)
    expect(figures.impactUsdc).toBeLessThan(0)
    expect(distributions.endUsdc.mean).toBeCloseTo(
      (figures.endUsdc + second.figures.endUsdc) / 2,
      6,
    )
    const page = here.read('out/report.html')
    expect(page).toContain('hold')
    expect(page).not.toMatch(/<(?:script|link|img)[^>]+(?:src|href)=/)
  })

  test('is the same each time, and its calls made again end in the same world', async () => {
    await evaluate('run', '', '--agent', 'random', '--seed', '7')
    const first = here.runOf('out')
    await evaluate('run', '', '--agent', 'random', '--seed', '7')
    expect(here.runOf('out')).toEqual(first)
    const again = await evaluate('replay', '', '--seed', '7')
    expect(again).toEqual({ exitCode: 0, lines: [`seed 7: the same world, ${first.hash}`] })
  })

  test('whose log was changed ends in another world', async () => {
    await evaluate('run', '', '--agent', 'hold', '--seed', '7')
    const [order, ...rest] = here.logOf('out')
    const changed = [{ ...order, arguments: { ...order.arguments, order_amount: 500 } }, ...rest]
    writeFileSync(
      here.path('out/seed-7.jsonl'),
      changed.map((each) => JSON.stringify(each)).join('\n'),
    )
    expect((await evaluate('replay', '', '--seed', '7')).exitCode).toBe(1)
    writeFileSync(here.path('out/seed-7.jsonl'), '{"tool":1}\n')
    expect(await evaluate('replay', '', '--seed', '7')).toEqual({
      exitCode: 64,
      lines: ['the log of decisions is damaged'],
    })
  })

  test('is passed or failed by its criteria, seed by seed or by the mean', async () => {
    const criteria = `
[[criteria]]
figure = "orders"
at_most = 0
[[criteria]]
figure = "endUsdc"
over = "mean"
at_least = 1
[[criteria]]
figure = "sortino"
at_least = -1e9
`
    const { exitCode, lines } = await evaluate('run', criteria, '--agent', 'hold')
    expect(exitCode).toBe(1)
    expect(lines).toContain('missed  orders at most 0, every seed (seeds 7, 8)')
    expect(lines).toContain('met     endUsdc at least 1, mean of the seeds')
    expect(lines).toContain('failed')
  })

  test('compares two agents over the same seeds, and refuses those that share none', async () => {
    await evaluate('run', '[[criteria]]\nfigure = "orders"\nat_most = 0\n', ...['--agent', 'hold'])
    const [out, other] = [here.path('out'), here.path('other')]
    await here.run('run', here.path('short.toml'), '--out', other, '--agent', 'random')
    const page = here.path('both.html')
    const { exitCode, lines } = await here.run('compare', out, '--with', other, '--html', page)
    expect(exitCode).toBe(0)
    expect(lines[0]).toStartWith('2 pairs')
    expect(lines.find((line) => line.startsWith('orders '))).toMatch(/^orders +1 +/)
    const judged = here.read('both.html').match(/\w+: (passed|failed)(?=<)/g)
    expect(judged).toEqual(['hold: failed', 'random: failed'])
    expect((await here.run('compare', out, '--with', here.path('nowhere'))).exitCode).toBe(64)
    await here.evaluate('run', 'usdc = 500\n[agent]\nbaseline = "hold"\n', 'changed')
    expect(await here.run('compare', out, '--with', here.path('changed'))).toEqual({
      lines: ['short was changed between the two: run one of them again'],
      exitCode: 64,
    })
  })
})

describe("an agent's program", () => {
  const program = (text: string) => {
    const path = here.write('agent.mjs', text)
    return `[agent]\ncommand = ["${process.execPath}", "${path}"]\n`
  }

  test('speaks MCP over its streams, knows its task, and is measured to the end', async () => {
    const agent = program(`${CALLS}
process.stderr.write(process.env.PREPD_EVAL_TASK)
await call('place_order', { symbol: 'PERP_ETH_USDC', side: 'BUY', order_type: 'MARKET', order_amount: 500 })
await call('place_order', { symbol: 'PERP_ETH_USDC', side: 'BUY', order_type: 'MARKET', order_amount: 5 })
for (;;) await call('advance_clock', { seconds: 300 })
`)
    const limits = '[limits]\nmax_order_usdc = 1000\n'
    const { exitCode } = await evaluate('run', agent + limits, '--seed', '7')
    expect(exitCode).toBe(0)
    const { figures } = here.runOf('out')
    expect(figures).toMatchObject({ orders: 1, refusals: 1, calls: 6, decisions: 4, finished: 1 })
    expect(here.errorsOf('out')).toBe('Trade.')
  })

  test('that goes beyond a limit is counted, and nothing is ordered', async () => {
    const agent = program(`${CALLS}
await call('place_order', { symbol: 'PERP_ETH_USDC', side: 'BUY', order_type: 'MARKET', order_amount: 5000 })
process.exit(0)
`)
    await evaluate('run', `${agent}[limits]\nmax_order_usdc = 1000\n`, '--seed', '7')
    const { figures, curve } = here.runOf('out')
    expect(figures).toMatchObject({ limitHits: 1, orders: 0, finished: 1 })
    expect(curve.value).toEqual([10_000, 10_000, 10_000, 10_000, 10_000])
  })

  test('that fails is measured to the end without it, and is not finished', async () => {
    await evaluate('run', program('process.exit(3)'), '--seed', '7')
    expect(here.runOf('out').figures).toMatchObject({
      finished: 0,
      calls: 0,
      endUsdc: 10_000,
    })
  })
})

test("an agent's program that there is not is refused by name", async () => {
  const agent = '[agent]\ncommand = ["/nowhere/agent"]\n'
  expect(await evaluate('run', agent, '--seed', '7')).toEqual({
    exitCode: 64,
    lines: ["the agent's program /nowhere/agent was not found"],
  })
})

describe('a file that is no evaluation', () => {
  test.each([
    ['length = "0s"', 'length must be from 1ms to 366d'],
    ['step = "30m"', 'step must be from 1ms to the length'],
    ['markets = ["PERP_NOT_USDC"]', 'markets: PERP_NOT_USDC is not among the markets'],
    ['scenario = "nowhere.txt"', 'scenario names a file that cannot be read'],
    ['start = "2026-13-01T00:00:00Z"', 'start must be a time of the calendar'],
    ['colour = "red"', 'colour is not known here'],
    ['criteria = [{ figure = "orders" }]', 'criteria[0] must have at_least or at_most'],
    [
      'criteria = [{ figure = "luck", at_least = 1 }]',
      'criteria[0].figure must be the name of a figure',
    ],
  ])('%s is refused by name', async (line, problem) => {
    const [key] = line.split(' ')
    const kept = SHORT.split('\n').filter((each) => !each.startsWith(`${key} `))
    const file = here.write('bad.toml', [line, ...kept].join('\n'))
    const { exitCode, lines } = await here.run('run', file, '--agent', 'hold')
    expect(exitCode).toBe(64)
    expect(lines.join('\n')).toContain(problem)
  })

  test('without an agent needs one by name, and one that there is', async () => {
    expect((await evaluate('run', '')).lines).toEqual([
      'the file has no [agent]: name one with --agent',
    ])
    expect((await evaluate('run', '', '--agent', 'oracle')).exitCode).toBe(64)
  })
})
