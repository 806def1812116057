// Slow: worlds are opened and run, and agents are servers and programs of their own.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { freePort } from '../../free-port.ts'
import { type Call, callOf, openLimited, sent, serving, type Terms } from './served-agent.ts'

let here: ReturnType<typeof openLimited>
beforeEach(() => {
  here = openLimited()
})
afterEach(() => here[Symbol.dispose]())

const ORDER = { symbol: 'PERP_ETH_USDC', side: 'BUY', order_type: 'MARKET', order_amount: 500 }
const CALLS: readonly Call[] = [
  ['place_order', ORDER],
  ['place_order', { ...ORDER, order_amount: 5000 }],
  ...Array.from({ length: 4 }, (): Call => ['advance_clock', { seconds: 300 }]),
]

/** An agent that makes all calls, one after another. */
async function acted(terms: Terms): Promise<Response> {
  for (const [at, call] of CALLS.entries()) await sent(terms, callOf(call, at + 1))
  return new Response('done')
}

/** A program that reads these lines of calls from its arguments and makes them over its streams. */
const STDIO = `
import { createInterface } from 'node:readline'
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
for (const [at, [name, given]] of ${JSON.stringify(CALLS)}.entries()) {
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: at + 1, method: 'tools/call', params: { name, arguments: given } }) + '\\n')
  await lines.next()
}
`
const HTTP = `
console.log('this output is nothing that anybody reads')
const { PREPD_EVAL_MCP_URL: url, PREPD_EVAL_MCP_TOKEN: token } = process.env
for (const [at, [name, given]] of ${JSON.stringify(CALLS)}.entries()) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: at + 1, method: 'tools/call', params: { name, arguments: given } })
  await fetch(url, { method: 'POST', headers: { authorization: 'Bearer ' + token }, body })
}
`
describe('an agent at an address', () => {
  test('that makes the calls of a program ends in the same world, with the same log, and is replayed', async () => {
    const given: Terms[] = []
    using agent = serving((terms) => {
      given.push(terms)
      return acted(terms)
    })
    await here.evaluate('run', '', 'stdio', '--agent', here.program(STDIO), '--seed', '7')
    await here.evaluate('run', '', 'address', '--agent', agent.address, '--seed', '7')
    const http = here.runOf('address')
    expect(given[0]).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/),
      token: expect.stringMatching(/^[0-9a-f]{64}$/),
      ...{
        task: 'Trade.',
        markets: ['PERP_ETH_USDC'],
        seed: 7,
        lengthMs: 1_200_000,
        stepMs: 300_000,
      },
    })
    expect(http.hash).toBe(here.runOf('stdio').hash)
    expect(http.figures).toEqual(here.runOf('stdio').figures)
    expect(http.figures).toMatchObject({ orders: 1, limitHits: 1, calls: 6, finished: 1 })
    expect(http.agent).toBe(agent.address)
    expect(here.logOf('address')).toEqual(here.logOf('stdio'))
    const again = await here.evaluate('replay', '', 'address', '--seed', '7')
    expect(again).toEqual({ exitCode: 0, lines: [`seed 7: the same world, ${http.hash}`] })
  })

  test('may be a program that calls over HTTP, with the URL and token in its environment', async () => {
    await here.evaluate('run', '', 'stdio', '--agent', here.program(STDIO), '--seed', '7')
    await here.evaluate(
      'run',
      '',
      'http',
      '--agent',
      here.program(HTTP),
      '--mcp',
      'http',
      '--seed',
      '7',
    )
    expect(here.runOf('http').hash).toBe(here.runOf('stdio').hash)
    expect(here.logOf('http')).toEqual(here.logOf('stdio'))
    await here.evaluate(
      'run',
      '',
      'bad',
      '--agent',
      here.program('process.exit(3)'),
      '--mcp',
      'http',
      '--seed',
      '7',
    )
    expect(here.runOf('bad')).toMatchObject({ outcome: 'failed', figures: { finished: 0 } })
  })

  test('may accept to begin and end its session later, with a client of MCP as others use it', async () => {
    const ended = Promise.withResolvers<void>()
    async function act({ url, token }: Terms) {
      const requestInit = { headers: { authorization: `Bearer ${token}` } }
      const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit })
      const client = new Client({ name: 'agent', version: '1' })
      await client.connect(transport)
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('advance_clock')
      await client.callTool({ name: 'place_order', arguments: ORDER })
      await client.close()
      await fetch(url, { method: 'DELETE', ...requestInit })
      ended.resolve()
    }
    using agent = serving((terms) => {
      act(terms).catch(ended.reject)
      return new Response(null, { status: 202 })
    })
    const { exitCode } = await here.evaluate(
      'run',
      '',
      'out',
      '--agent',
      agent.address,
      '--seed',
      '7',
    )
    await ended.promise
    expect(exitCode).toBe(0)
    expect(here.runOf('out')).toMatchObject({
      outcome: 'done',
      figures: { orders: 1, calls: 1, finished: 1 },
    })
    expect(here.runOf('out').curve.atMs).toHaveLength(5)
  })

  test('reaches its tools at a port of their own where one is named, world after world', async () => {
    const port = freePort()
    const urls: string[] = []
    using agent = serving(({ url }) => {
      urls.push(url)
      return new Response('done')
    })
    const lines = `[agent]\nport = ${port}\n`
    expect((await here.evaluate('run', lines, 'out', '--agent', agent.address)).exitCode).toBe(0)
    expect(urls).toEqual(Array.from({ length: 2 }, () => `http://127.0.0.1:${port}/mcp`))
  })

  test('is refused without its token, at other paths and with other methods, and without JSON', async () => {
    const statuses: number[] = []
    using agent = serving(async (terms) => {
      const wrong = [
        sent({ ...terms, token: 'f'.repeat(64) }, {}),
        sent({ ...terms, token: '' }, {}),
        sent({ ...terms, url: `${terms.url}/x` }, {}),
        sent(terms, {}, 'GET'),
        sent(terms, { jsonrpc: '2.0', id: 1, method: 'x', params: { x: 'x'.repeat(2_000_000) } }),
        sent(terms, { jsonrpc: '1.0' }),
      ]
      for (const response of wrong) statuses.push((await response).status)
      return new Response('done')
    })
    await here.evaluate('run', '', 'out', '--agent', agent.address, '--seed', '7')
    expect(statuses).toEqual([401, 401, 404, 405, 413, 400])
    expect(here.runOf('out').figures).toMatchObject({ calls: 0, finished: 1 })
  })
})
