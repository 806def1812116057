// Slow: worlds are opened and run, and agents are programs of their own.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { REAL_WORLD } from '../../operator/real-world.ts'
import { openEvaluations } from './fixture.ts'

const ROOT = new URL('../../../', import.meta.url)
const MODEL = new URL('config/evals/model.mjs', ROOT).pathname
const PAGE = readFileSync(new URL('build/evaluations.md', ROOT), 'utf8')

const SYMBOL = 'PERP_ETH_USDC'
const ORDER = { symbol: SYMBOL, side: 'BUY', order_type: 'MARKET', order_amount: 500 }

/** What a host answers in turn: calls of tools, then none. */
type Turns = readonly (readonly [string, string][])[]
const TURNS: Turns = [
  [['get_market', JSON.stringify({ symbol: SYMBOL })]],
  [
    ['place_order', JSON.stringify(ORDER)],
    ['get_positions', 'not JSON'],
  ],
  ...Array.from({ length: 40 }, (): [string, string][] => [['advance_clock', '{"seconds":10}']]),
  [],
]

type Asked = {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly tools: readonly { readonly function: { readonly name: string } }[]
}

/** A host of a model with the chat completions of OpenAI. */
function openHost(status = 200, turns = TURNS) {
  const asked: Asked[] = []
  const bearers = new Set<string | null>()
  const server = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0 },
    fetch: async (request) => {
      bearers.add(request.headers.get('authorization'))
      if (status !== 200) return new Response('no', { status })
      const turn = turns[asked.length] ?? []
      asked.push(JSON.parse(await request.text()))
      const tool_calls = turn.map(([name, given], at) => ({
        ...{ id: `${asked.length}-${at}`, type: 'function' },
        function: { name, arguments: given },
      }))
      const called = tool_calls.length > 0 ? { tool_calls } : {}
      return Response.json({
        choices: [{ message: { role: 'assistant', content: '', ...called } }],
      })
    },
  })
  const url = `http://127.0.0.1:${server.port}/v1`
  return { asked, bearers, url, [Symbol.dispose]: () => void server.stop(true) }
}

async function evaluated(url: string) {
  const variables = { ...process.env, MODEL_URL: url, MODEL_NAME: 'small', MODEL_KEY: 'k1' }
  const world = { ...REAL_WORLD, user: { ...REAL_WORLD.user, variables } }
  using here = openEvaluations({ world })
  const agent = [
    '--agent',
    `${process.execPath} ${MODEL}`,
    '--env',
    'MODEL_URL,MODEL_NAME,MODEL_KEY',
  ]
  await here.evaluate('run', '', 'out', ...agent, '--seed', '7')
  return {
    run: here.runOf('out'),
    calls: here.read('out/seed-7.jsonl').match(/\n/g) ?? [],
    errors: here.errorsOf('out'),
  }
}

test('the shipped agent of a model is given tools and task, and its calls are made', async () => {
  using host = openHost()
  const { run, calls, errors } = await evaluated(host.url)
  expect(errors).toBe('')
  expect(run).toMatchObject({ outcome: 'done', figures: { orders: 1, positions: 1, finished: 1 } })
  expect(calls).toHaveLength(42)
  expect([...host.bearers]).toEqual(['Bearer k1'])
  const [first, , third, last] = [0, 1, 2, -1].map((at) => host.asked.at(at))
  expect(first?.model).toBe('small')
  expect(first?.messages.map(({ role }) => role)).toEqual(['system', 'user'])
  expect(first?.messages[0]?.content).toContain('advance_clock')
  expect(first?.messages[1]?.content).toStartWith('Trade. You have 20 minutes of venue time.')
  expect(first?.tools.map((tool) => tool.function.name)).toContain('place_order')
  expect(third?.messages.at(-2)?.content).toContain('order_id')
  expect(third?.messages.at(-1)?.content).toStartWith('The arguments are no JSON')
  // Older messages are left out, the task stays, and no answer stands without its call.
  expect(last?.messages.length).toBeLessThanOrEqual(62)
  const roles = last?.messages.map(({ role }) => role).slice(0, 3)
  expect(roles).toEqual(['system', 'user', 'assistant'])
})

test('the shipped agent of a model sends answers behind their calls, also where one message makes many', async () => {
  const times = Array.from({ length: 61 }, (): [string, string] => ['get_time', '{}'])
  using host = openHost(200, [[['get_time', '{}']], times, []])
  const { run } = await evaluated(host.url)
  expect(run).toMatchObject({ outcome: 'done', figures: { calls: 62 } })
  const roles = host.asked.at(-1)?.messages.map(({ role }) => role)
  expect(roles).toEqual(['system', 'user', 'assistant', ...times.map(() => 'tool')])
})

test('the shipped agent of a model ends where its tools answer no JSON, and does not tell the model that it was wrong', async () => {
  using host = openHost(200, [[['get_time', '{}']], []])
  const agent = Bun.spawn([process.execPath, MODEL], {
    ...{ stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' },
    env: { MODEL_URL: host.url },
  })
  const answers = [{ result: { instructions: '' } }, { result: { tools: [] } }].map((answer) =>
    JSON.stringify(answer),
  )
  agent.stdin.write(`${[...answers, 'no JSON'].join('\n')}\n`)
  await agent.stdin.flush()
  expect(await agent.exited).not.toBe(0)
  expect(await new Response(agent.stderr).text()).toContain('JSON')
  expect(host.asked).toHaveLength(1)
})

test('the shipped agent of a model fails where its host does, and says why', async () => {
  using host = openHost(503)
  const { run, errors } = await evaluated(host.url)
  expect(run).toMatchObject({ outcome: 'failed', figures: { calls: 0, finished: 0 } })
  expect(errors).toContain('answered with status 503')
})

test('the example with prices of the page can be run as it stands', async () => {
  const [, csv = '', toml = ''] =
    /```csv\n(.*?)```.*?```toml\n(.*?)```/s.exec(PAGE.slice(PAGE.indexOf('### Prices'))) ?? []
  using here = openEvaluations({ text: toml, variables: {} })
  const prices = here.write('fall.csv', csv)
  const { exitCode, lines } = await here.evaluate('run', '', 'out', '--agent', 'hold')
  expect({ exitCode, line: lines.find((each) => each.startsWith('passed')) }).toEqual({
    exitCode: 0,
    line: 'passed',
  })
  const { runs } = JSON.parse(here.read('out/result.json'))
  for (const { figures } of runs) expect(figures.return).toBeLessThan(-0.05)
  using served = openEvaluations({ variables: { PREPD_VENUE_PRICES: prices } })
  const own = await served.evaluate('run', '', 'out', '--agent', 'hold', '--seed', '7')
  expect(own.exitCode).toBe(0)
})
