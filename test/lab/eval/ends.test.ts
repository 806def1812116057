// Slow: worlds are opened and run, and agents are programs of their own.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { REAL_WORLD } from '../../operator/real-world.ts'
import { CALLS, openEvaluations, SHORT } from './fixture.ts'
import { callOf, sent, serving, type Terms } from './served-agent.ts'

let here: ReturnType<typeof openEvaluations>
beforeEach(() => {
  here = openEvaluations()
})
afterEach(() => here[Symbol.dispose]())

const ORDER = `await call('place_order', { symbol: 'PERP_ETH_USDC', side: 'BUY', order_type: 'MARKET', order_amount: 20 })`

const READS = `${CALLS}for (;;) await call('get_time')`

/** A world that starts a program which has made its first call already: a slow start is not silence. */
async function worldOfRunning(text: string): Promise<typeof REAL_WORLD> {
  const running = REAL_WORLD.startProgram(here.program(text).split(' '), {})
  const chunks = running.output[Symbol.asyncIterator]()
  const first = await chunks.next()
  async function* output() {
    if (first.done) return
    yield first.value
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  return { ...REAL_WORLD, startProgram: () => ({ ...running, output: output() }) }
}

/** Runs a program in the world of seed 7 under the lines of an agent's table. */
const ran = async (program: string, lines: string) => {
  const { lines: shown } = await here.evaluate(
    ...(['run', `[agent]\n${lines}\n`, 'out', '--seed', '7'] as const),
    ...['--agent', here.program(program)],
  )
  return { ...here.runOf('out'), shown: shown.join('\n') }
}

describe('an agent is ended', () => {
  test.each([
    ['a loop of reads', 'calls_max', 'calls_max = 50', READS],
    ['a flood of orders', 'orders_max', 'orders_max = 5', `${CALLS}for (;;) ${ORDER}`],
    [
      'a flood that reads no answer',
      'calls_max',
      'calls_max = 50',
      `
      const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_time' } })
      for (;;) await new Promise((resolve) => process.stdout.write(line + '\\n', resolve))`,
    ],
    ['a hang', 'silent', 'think_max = "50ms"', 'setInterval(() => {}, 1000)'],
    [
      'a hang of a program that another has started',
      'silent',
      'think_max = "50ms"',
      `
      require('node:child_process').spawnSync('sleep', ['1000'], { stdio: 'inherit' })`,
    ],
    [
      'a sleeper that lets time pass',
      'run_max',
      'run_max = "400ms"',
      `${CALLS}
      for (;;) { await call('advance_clock', { seconds: 1 }); await new Promise((resolve) => setTimeout(resolve, 20)) }`,
    ],
    [
      'a writer of 1 GB to its output',
      'bytes_max',
      'bytes_max = 100000',
      `
      const chunk = 'x'.repeat(1_000_000)
      for (let at = 0; at < 1000; at += 1) await new Promise((resolve) => process.stdout.write(chunk, resolve))`,
    ],
    [
      'a writer of 1 GB to its errors',
      'bytes_max',
      'bytes_max = 100000',
      `
      const chunk = 'x'.repeat(1_000_000)
      for (let at = 0; at < 1000; at += 1) await new Promise((resolve) => process.stderr.write(chunk, resolve))`,
    ],
  ])('that is %s, with the reason %s', async (_, outcome, lines, program) => {
    const { outcome: given, figures, shown } = await ran(program, lines)
    expect(given).toBe(outcome)
    expect(figures).toMatchObject({ finished: 0 })
    expect(shown).toContain(`\n${outcome} on seeds 7: `)
    expect(here.read('out/seed-7.errors').length).toBeLessThan(2_000_000)
  })

  test('that is a loop of reads, with the reason think_max', async () => {
    using own = openEvaluations({ world: await worldOfRunning(READS) })
    const lines = '[agent]\nthink_max = "300ms"\ncalls_max = 1000000\n'
    const flags = ['--agent', 'node agent.mjs', '--seed', '7']
    const { lines: shown } = await own.evaluate('run', lines, 'out', ...flags)
    expect(own.runOf('out')).toMatchObject({ outcome: 'think_max', figures: { finished: 0 } })
    expect(shown.join('\n')).toContain('\nthink_max on seeds 7: ')
  })

  test('over HTTP too, and is told why', async () => {
    const answers: unknown[] = []
    using agent = serving(async (terms: Terms) => {
      for (let at = 1; answers.length === 0; at += 1) {
        const { error } = Object(await (await sent(terms, callOf(['get_time', {}], at))).json())
        if (error) answers.push(error)
      }
      return new Response()
    })
    const flags = ['--agent', agent.address, '--seed', '7']
    await here.evaluate('run', '[agent]\ncalls_max = 20\n', 'out', ...flags)
    expect(here.runOf('out')).toMatchObject({ outcome: 'calls_max', figures: { finished: 0 } })
    expect(answers).toEqual([{ code: -32600, message: 'This evaluation has ended: calls_max.' }])
  })

  test('over HTTP after the last call that its limit allows, also where it sends all at once', async () => {
    const order = { symbol: 'PERP_ETH_USDC', side: 'BUY', order_type: 'MARKET', order_amount: 20 }
    const refusals: unknown[] = []
    using agent = serving(async (terms: Terms) => {
      const calls = Array.from({ length: 12 }, (_, at) => callOf(['place_order', order], at + 1))
      const answers = await Promise.all(calls.map(async (call) => (await sent(terms, call)).json()))
      refusals.push(...answers.flatMap((answer) => Object(answer).error ?? []))
      return new Response('done')
    })
    const flags = ['--agent', agent.address, '--seed', '7']
    await here.evaluate('run', '[agent]\ncalls_max = 7\n', 'out', ...flags)
    const { outcome, figures } = here.runOf('out')
    expect(outcome).toBe('calls_max')
    expect(figures).toMatchObject({ calls: 7, orders: 7 })
    const refusal = { code: -32600, message: 'This evaluation has ended: calls_max.' }
    expect(refusals).toEqual(Array.from({ length: 5 }, () => refusal))
  })

  test('after the last call that its limit allows, and its calls end in the same world again', async () => {
    const { figures, hash } = await ran(`${CALLS}for (;;) ${ORDER}`, 'calls_max = 7')
    expect(figures).toMatchObject({ calls: 7, orders: 7 })
    expect(await here.evaluate('replay', '', 'out', '--seed', '7')).toEqual({
      exitCode: 0,
      lines: [`seed 7: the same world, ${hash}`],
    })
  })

  test.each([
    ['an order', 2, `${CALLS}for (;;) ${ORDER}`],
    [
      'an order of a call that goes on',
      1,
      `${CALLS}
      const targets = { PERP_ETH_USDC: 0.01, PERP_BTC_USDC: 0.01 }
      const { plan } = await call('rebalance', { targets })
      for (;;) await call('rebalance', { plan })`,
    ],
  ])(
    'before %s that passes its limit of orders is sent, and a replay ends alike',
    async (_, orders, program) => {
      const markets = SHORT.replace('["PERP_ETH_USDC"]', '["PERP_ETH_USDC", "PERP_BTC_USDC"]')
      using own = openEvaluations({ text: markets })
      const lines = `[agent]\norders_max = ${orders}\n`
      const flags = ['--seed', '7', '--agent', own.program(program)]
      await own.evaluate('run', lines, 'out', ...flags)
      const { outcome, figures, hash } = own.runOf('out')
      expect({ outcome, orders: figures.orders }).toEqual({ outcome: 'orders_max', orders })
      expect(own.logOf('out').at(-1).tool).toBe(
        program.includes('rebalance') ? 'rebalance' : 'place_order',
      )
      const { lines: replayed } = await own.evaluate('replay', lines, 'out', '--seed', '7')
      expect(replayed).toEqual([`seed 7: the same world, ${hash}`])
    },
  )
})

const LATENCY = 'latency = "entry=20/5,answer=20/5"\n'

test.each([
  ['orders beyond their limit and a read', '', 'orders_max', ['order', 'order', 'time']],
  ['orders and advances of the clock', LATENCY, 'done', ['order', 'advance', 'order', 'advance']],
])(
  'a replay of %s that an agent sends at once ends, and in the same world',
  async (_, terms, outcome, kinds) => {
    const program = `
    const calls = {
      order: ['place_order', { symbol: 'PERP_ETH_USDC', side: 'BUY', order_type: 'MARKET', order_amount: 20 }],
      time: ['get_time', {}],
      advance: ['advance_clock', { seconds: 1 }],
    }
    const texts = ${JSON.stringify(kinds)}.map((kind, id) => {
      const [name, given] = calls[kind]
      return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } })
    })
    process.stdout.write(texts.join('\\n') + '\\n')
    let left = texts.length
    for await (const _ of require('node:readline').createInterface({ input: process.stdin })) {
      left -= 1
      if (left === 0) process.exit(0)
    }`
    using own = openEvaluations({ text: SHORT + terms })
    const table = '[agent]\norders_max = 1\n'
    await own.evaluate('run', table, 'out', '--seed', '7', '--agent', own.program(program))
    expect(own.logOf('out')).toHaveLength(kinds.length)
    expect(own.runOf('out').outcome).toBe(outcome)
    const { lines: replayed } = await own.evaluate('replay', table, 'out', '--seed', '7')
    expect(replayed).toEqual([`seed 7: the same world, ${own.runOf('out').hash}`])
  },
)

test('calls that an agent cancels are in the log whole, and a replay ends in the same world', async () => {
  const program = `
  const messages = [
    ['place_order', { symbol: 'PERP_ETH_USDC', side: 'BUY', order_type: 'MARKET', order_amount: 20 }],
    ['wait_for', { symbol: 'PERP_ETH_USDC', until: 'price_above', value: 1e6, timeoutSeconds: 30 }],
    ['get_time', {}],
  ].flatMap(([name, given], id) => {
    const call = { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } }
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }
    return name === 'get_time' ? [call] : [call, cancel]
  })
  process.stdout.write(messages.map((message) => JSON.stringify(message)).join('\\n') + '\\n')
  for await (const line of require('node:readline').createInterface({ input: process.stdin })) {
    if (JSON.parse(line).id !== 2) throw new Error(line)
    process.exit(0)
  }`
  using own = openEvaluations()
  await own.evaluate('run', '', 'out', '--seed', '7', '--agent', own.program(program))
  const log = own.logOf('out')
  expect(log.map(({ tool, outcome }) => [tool, outcome])).toEqual([
    ['place_order', 'ok'],
    ['wait_for', 'ok'],
    ['get_time', 'ok'],
  ])
  expect(own.runOf('out')).toMatchObject({ outcome: 'done', figures: { calls: 3, orders: 1 } })
  const { lines: replayed } = await own.evaluate('replay', '', 'out', '--seed', '7')
  expect(replayed).toEqual([`seed 7: the same world, ${own.runOf('out').hash}`])
})

describe('an agent is not ended', () => {
  test('at once by a limit of a month', async () => {
    const agent = `${CALLS}await call('get_time'); await new Promise((resolve) => setTimeout(resolve, 50)); process.exit(0)`
    expect(await ran(agent, 'run_max = "30d"')).toMatchObject({ outcome: 'done' })
  })

  test('at its limits, which each decision has anew', async () => {
    const agent = `${CALLS}
for (let decision = 0; decision < 3; decision += 1) {
  ${ORDER}
  ${ORDER}
  await call('advance_clock', { seconds: 60 })
}
process.exit(0)
`
    const { outcome, figures } = await ran(agent, 'calls_max = 3\norders_max = 2')
    expect(outcome).toBe('done')
    expect(figures).toMatchObject({ calls: 9, orders: 6, finished: 1 })
  })
})

test.each([
  ['run_max = "0s"', 'agent.run_max must be from 1ms to 30d'],
  ['calls_max = 0', 'agent.calls_max must be a whole number from 1 to 1000000'],
  ['orders_max = 1.5', 'agent.orders_max must be a whole number from 1 to 1000000'],
  ['bytes_max = 2000000000', 'agent.bytes_max must be a whole number from 1 to 1000000000'],
])('the limit %s is refused by name', async (line, problem) => {
  const flags = ['--agent', 'hold', '--seed', '7']
  const { exitCode, lines } = await here.evaluate('run', `[agent]\n${line}\n`, 'out', ...flags)
  expect({ exitCode, lines }).toEqual({ exitCode: 64, lines: [problem] })
})
