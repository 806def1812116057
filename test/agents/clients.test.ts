// Slow: each client is a program that is started for every question.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  Client as NextClient,
  StreamableHTTPClientTransport as NextHttp,
} from '@modelcontextprotocol/client'
import { StdioClientTransport as NextStdio } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { newCaller } from '../caller.ts'
import { openTarget, type Target } from '../target.ts'
import { BINARY, urlOf } from './binary.ts'

const INFO = { name: 'prepd-test', version: '1' }
const CALLER = newCaller()
const HEX = Buffer.from(CALLER.secret).toString('hex')
const HEADERS = { 'x-account-id': CALLER.accountId, 'x-trading-key': HEX }

let target: Target
let url: string
beforeAll(async () => {
  target = await openTarget('compiled binary', { LIMIT_MCP: 'off' })
  url = await urlOf(target)
})
afterAll(() => target.stop())

const endpoint = () => new URL(`${url}/mcp`)
const program = () => ({
  command: BINARY,
  args: ['--mode', 'mcp'],
  env: {
    SERVICE_API_URL: url,
    SERVICE_ACCOUNT_ID: CALLER.accountId,
    SERVICE_TRADING_KEY: HEX,
    NO_PROXY: '127.0.0.1',
  },
})

/** The common functions of both generations of the SDK. */
type Connected = {
  readonly listTools: () => Promise<{ tools: readonly { name: string }[] }>
  readonly listResources: () => Promise<{ resources: readonly unknown[] }>
  readonly listPrompts: () => Promise<{ prompts: readonly unknown[] }>
  readonly callTool: (params: {
    name: string
    arguments?: Record<string, unknown>
  }) => Promise<unknown>
  readonly close: () => Promise<void>
}

async function first(over: 'http' | 'stdio'): Promise<Connected> {
  const client = new Client(INFO)
  const http = () =>
    new StreamableHTTPClientTransport(endpoint(), { requestInit: { headers: HEADERS } })
  // The SDK's own types disagree under exactOptionalPropertyTypes.
  await client.connect((over === 'http' ? http() : new StdioClientTransport(program())) as never)
  return client
}

type Negotiation = ConstructorParameters<typeof NextClient>[1]

function next(options: Negotiation) {
  return async (over: 'http' | 'stdio'): Promise<Connected> => {
    const client = new NextClient(INFO, options)
    const http = () => new NextHttp(endpoint(), { requestInit: { headers: HEADERS } })
    await client.connect((over === 'http' ? http() : new NextStdio(program())) as never)
    return client
  }
}

const CLIENTS = [
  { name: 'SDK 1', connect: first },
  { name: 'SDK 2 by default', connect: next({}) },
  { name: 'SDK 2 left to find out', connect: next({ versionNegotiation: { mode: 'auto' } }) },
  {
    name: 'SDK 2 pinned to 2026-07-28',
    connect: next({ versionNegotiation: { mode: { pin: '2026-07-28' } } }),
  },
] as const

describe.each(CLIENTS)('the official client $name', ({ connect }) => {
  test.each(['http', 'stdio'] as const)(
    'lists, calls and understands failures over %s',
    async (over) => {
      const client = await connect(over)
      try {
        const { tools } = await client.listTools()
        expect(tools.map(({ name }) => name)).toContain('place_order')
        expect((await client.listResources()).resources).toEqual([])
        expect((await client.listPrompts()).prompts).toEqual([])

        const markets = await client.callTool({ name: 'list_markets', arguments: {} })
        expect(markets).toMatchObject({
          content: [{ type: 'text', text: expect.stringContaining('PERP_') }],
        })
        expect(markets).not.toHaveProperty('isError')

        const failed = await client.callTool({ name: 'get_orderbook', arguments: {} })
        expect(failed).toMatchObject({
          isError: true,
          content: [{ text: expect.stringContaining('symbol') }],
        })

        // The key is bound to no account: the venue refuses it, and the tool passes the refusal on.
        const signed = await client.callTool({ name: 'list_positions', arguments: {} })
        expect(signed).toMatchObject({
          isError: true,
          content: [{ text: expect.stringContaining('"unauthorized"') }],
        })

        const unknown = client.callTool({ name: 'list_market', arguments: {} })
        await expect(unknown).rejects.toThrow('Did you mean list_markets?')
      } finally {
        await client.close()
      }
    },
  )
})

const INSPECTOR = new URL(
  '../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
  import.meta.url,
).pathname

async function inspect(...args: readonly string[]) {
  const child = Bun.spawn(['node', INSPECTOR, '--cli', ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['TMPDIR'] ?? '/tmp',
      NO_PROXY: '127.0.0.1',
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { out, err, exitCode }
}

describe('the inspector', () => {
  const http = () => [`${url}/mcp`, '--transport', 'http']
  const stdio = () => ['-e', `SERVICE_API_URL=${url}`, BINARY, '--mode', 'mcp']

  test.each(['legacy', 'auto', 'modern'])(
    'finds the definitions portable over HTTP, %s',
    async (era) => {
      const { out, exitCode } = await inspect(
        ...http(),
        '--protocol-era',
        era,
        '--method',
        'tools/list',
        '--strict',
      )
      expect(exitCode).toBe(0)
      expect(out).toContain('"place_order"')
    },
  )

  test('lists over stdio only what reads, without credentials', async () => {
    const { out, exitCode } = await inspect(...stdio(), '--method', 'tools/list', '--strict')
    expect(exitCode).toBe(0)
    expect(out).toContain('"list_positions"')
    expect(out).not.toContain('"place_order"')
  })

  test('calls a tool, and distinguishes a failure of one from its own', async () => {
    const good = await inspect(...http(), '--method', 'tools/call', '--tool-name', 'list_markets')
    expect(good.exitCode).toBe(0)
    const bad = await inspect(...http(), '--method', 'tools/call', '--tool-name', 'list_positions')
    expect(bad).toMatchObject({ exitCode: 5, err: expect.stringContaining('tool_is_error') })
  })
})
