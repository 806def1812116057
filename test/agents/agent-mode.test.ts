// Slow: each agent server is an executable that starts.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { newCaller } from '../caller.ts'
import { headerOf, type RecordingUpstream, startRecordingUpstream } from '../recording-upstream.ts'
import { temporaryFolder } from '../surface/spawned.ts'
import { CHEAP_WORLD_VARIABLES, openTarget } from '../target.ts'
import { BINARY, repliesIn, runStdio } from './binary.ts'
import { modern, post, request, toolText } from './rpc.ts'

const CALLER = newCaller()
const CREDENTIALS = {
  SERVICE_ACCOUNT_ID: CALLER.accountId,
  SERVICE_TRADING_KEY: Buffer.from(CALLER.secret).toString('hex'),
}
const LIST = request('tools/list')
const ORDER = {
  symbol: 'PERP_ETH_USDC',
  side: 'BUY',
  order_type: 'MARKET',
  order_quantity: 0.01,
}

const call = (name: string, args: object = {}, id: number | string = 1) =>
  request('tools/call', { name, arguments: args }, id)

async function namesWith(env: Record<string, string>): Promise<readonly string[]> {
  const [reply] = repliesIn(await runStdio([LIST], env))
  const tools = reply?.result?.['tools'] as { name: string }[]
  return tools.map(({ name }) => name)
}

describe('an agent server on its own', () => {
  test('has the whole embedded venue in it and needs nothing else', async () => {
    const finished = await runStdio(
      [
        request('initialize', { protocolVersion: '2025-11-25' }, 'hello'),
        call('get_orderbook', { symbol: 'PERP_ETH_USDC' }, 'book'),
      ],
      {},
    )
    expect(finished.exitCode).toBe(0)
    const replies = new Map(repliesIn(finished).map((reply) => [reply.id, reply]))
    expect(replies.get('hello')?.result).toMatchObject({
      protocolVersion: '2025-11-25',
      instructions: expect.stringContaining('practice venue'),
    })
    expect(toolText(replies.get('book'))).toMatchObject({ isError: false })
  })

  test('leaves no file behind unless it is told where', async () => {
    const { exitCode, left } = await runStdio([call('list_markets')], {})
    expect(exitCode).toBe(0)
    expect(left).toEqual([])
  })

  test('that cannot open its data directory says why, once, and its tools do too', async () => {
    using folder = temporaryFolder()
    const dataDir = join(folder.path, 'data')
    const owner = await openTarget('compiled binary', { DATA_DIR: dataDir })
    const lines = [
      call('list_markets', {}, 1),
      call('list_swap_chains', {}, 2),
      request('ping', {}, 3),
    ]
    const finished = await runStdio(lines, { PREPD_DATA_DIR: dataDir })
    await owner.stop()
    const replies = new Map(repliesIn(finished).map((reply) => [reply.id, reply]))
    for (const id of [1, 2]) {
      expect(toolText(replies.get(id))).toMatchObject({
        isError: true,
        value: {
          code: 'not_configured',
          retryable: false,
          meta: { reason: 'data_dir', next: expect.stringContaining('in use by another prepd') },
        },
      })
    }
    expect(replies.get(3)?.result).toBeDefined()
    expect(finished.out).not.toContain('cannot be reached')
    expect(finished.err.match(/agent\.cannot_open/g)).toHaveLength(1)
    expect(finished.err).toContain('in use by another prepd')
    expect(finished.exitCode).toBe(0)
  })

  test('opens its data directory for a later call once it can', async () => {
    using folder = temporaryFolder()
    const dataDir = join(folder.path, 'data')
    const owner = await openTarget('compiled binary', { DATA_DIR: dataDir })
    const child = Bun.spawn([BINARY, '--mode', 'mcp'], {
      env: { PREPD_DATA_DIR: dataDir, ...CHEAP_WORLD_VARIABLES, NO_PROXY: '127.0.0.1' },
      stdin: 'pipe',
      stderr: 'ignore',
    })
    const answers = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
    async function answered(id: number) {
      child.stdin.write(`${JSON.stringify(call('list_swap_chains', {}, id))}\n`)
      await child.stdin.flush()
      let out = ''
      while (!out.endsWith('\n')) out += (await answers.read()).value ?? '\n'
      return toolText(repliesIn({ out }).find((reply) => reply.id === id))
    }
    expect(await answered(1)).toMatchObject({ isError: true, value: { code: 'not_configured' } })
    await owner.stop()
    expect(await answered(2)).toMatchObject({ isError: false })
    const endedMs = performance.now()
    await child.stdin.end()
    expect(await child.exited).toBe(0)
    // It waits for nothing that keeps it: a thread may take five seconds to close.
    expect(performance.now() - endedMs).toBeLessThan(4000)
  })

  test('writes answers of more than a pipe’s 64 kB whole', async () => {
    const lists = Array.from({ length: 40 }, (_, at) => request('tools/list', {}, at))
    const finished = await runStdio(lists, CREDENTIALS)
    expect(finished.out.length).toBeGreaterThan(64 * 1024 * 0.5)
    expect(repliesIn(finished)).toHaveLength(40)
  })

  test('writes nothing but answers to its output, whatever comes in', async () => {
    const lines = ['garbage', '\u0007', '[[[', '{}', 'x'.repeat(300_000), modern('tools/list')]
    const finished = await runStdio([...lines, call('list_markets')], {})
    expect(finished.exitCode).toBe(0)
    expect(repliesIn(finished)).toHaveLength(7)
    expect(repliesIn(finished).every((reply) => reply.result ?? reply.error)).toBe(true)
  })

  test('ends at once when its input is empty', async () => {
    expect(await runStdio([], {})).toEqual({ out: '', err: '', exitCode: 0, left: [] })
  })

  test('ends when its client has gone', async () => {
    const child = Bun.spawn(['sh', '-c', `"${BINARY}" --mode mcp | head -c 1 > /dev/null`], {
      stdin: 'pipe',
      stderr: 'pipe',
    })
    const many = `${JSON.stringify(LIST)}\n`.repeat(100)
    child.stdin.write(many)
    await Promise.resolve(child.stdin.end()).catch(() => undefined)
    await child.exited
    expect(await new Response(child.stderr).text()).toBe('')
  })
})

describe('the tools that are listed', () => {
  test.each([
    ['without credentials', {}],
    ['with only an account', { SERVICE_ACCOUNT_ID: CREDENTIALS.SERVICE_ACCOUNT_ID }],
    ['with only a key', { SERVICE_TRADING_KEY: CREDENTIALS.SERVICE_TRADING_KEY }],
    ['when only reading is allowed', { ...CREDENTIALS, SERVICE_READ_ONLY: 'on' }],
  ])('read, and nothing else, %s', async (_, env) => {
    const names = await namesWith(env)
    expect(names).toContain('list_markets')
    expect(names).toContain('list_positions')
    expect(names).not.toContain('place_order')
  })

  test('are all of them with credentials', async () => {
    expect(await namesWith(CREDENTIALS)).toContain('place_order')
  })

  test('are those of the chosen groups, and no other can be called', async () => {
    const env = { ...CREDENTIALS, SERVICE_TOOLS: 'account, markets' }
    const names = await namesWith(env)
    expect(names).toContain('get_report')
    expect(names[0]).toBe('list_markets')
    expect(names.filter((name) => /order$|swap|referral|close|cancel/.test(name))).toEqual([
      'get_order',
    ])
    const [reply] = repliesIn(await runStdio([call('place_order')], env))
    expect(reply?.error).toMatchObject({ code: -32602 })
    const { exitCode, err } = await runStdio([LIST], { ...env, SERVICE_TOOLS: 'market' })
    expect(exitCode).not.toBe(0)
    expect(err).toContain('SERVICE_TOOLS must be some of markets, trading')
  })

  test('are defined as over HTTP, to the letter', async () => {
    const target = await openTarget('in process', { LIMIT_MCP: 'off' })
    const [reply] = repliesIn(await runStdio([LIST], CREDENTIALS))
    expect(reply?.result).toEqual((await post(target, LIST)).json?.result as never)
    await target.stop()
  })

  test('do not decide what is refused: a write says what it lacks', async () => {
    const halves = [
      [{}, ['SERVICE_ACCOUNT_ID', 'SERVICE_TRADING_KEY']],
      [{ SERVICE_ACCOUNT_ID: CALLER.accountId }, ['SERVICE_TRADING_KEY']],
    ] as const
    for (const [env, missing] of halves) {
      const [reply] = repliesIn(await runStdio([call('place_order', ORDER)], env))
      expect(toolText(reply)).toMatchObject({
        isError: true,
        value: { code: 'unauthorized', meta: { missing } },
      })
    }
  })
})

describe('an agent server in front of a service elsewhere', () => {
  let service: RecordingUpstream
  beforeAll(async () => {
    service = await startRecordingUpstream(() => ({ json: { rows: [] } }))
  })
  afterAll(() => service.stop())

  test('signs here and sends the relay an envelope, without the secret', async () => {
    const env = { ...CREDENTIALS, SERVICE_API_URL: `${service.url}/base` }
    const [reply] = repliesIn(await runStdio([call('list_positions')], env))
    expect(toolText(reply).isError).toBe(false)
    const sent = service.requests.find(({ text }) => text.includes('/v1/positions'))
    expect(sent).toMatchObject({ method: 'POST', target: '/base/api/prep/relay' })
    expect(JSON.parse(sent?.text ?? '')).toMatchObject({
      method: 'GET',
      path: '/v1/positions',
      auth: { accountId: CALLER.accountId, key: CALLER.key },
    })
    expect(JSON.stringify(sent)).not.toContain(CREDENTIALS.SERVICE_TRADING_KEY)
    expect(headerOf(sent ?? { headers: [] }, 'x-trading-key')).toBeUndefined()
  })

  test('sends nothing that its limits forbid', async () => {
    const before = service.requests.length
    const env = { ...CREDENTIALS, SERVICE_API_URL: service.url, SERVICE_READ_ONLY: 'on' }
    const [reply] = repliesIn(await runStdio([call('place_order', ORDER)], env))
    expect(toolText(reply).value).toMatchObject({ code: 'mandate_exceeded' })
    expect(service.requests.length).toBe(before)
  })

  test('says that it cannot be reached', async () => {
    const env = { SERVICE_API_URL: 'http://127.0.0.1:1' }
    const finished = await runStdio([call('list_markets')], env)
    const [reply] = repliesIn(finished)
    expect(toolText(reply).value).toMatchObject({ code: 'upstream_unavailable', retryable: true })
    expect(finished.exitCode).toBe(0)
  })
})
