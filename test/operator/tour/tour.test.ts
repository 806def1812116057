import { afterEach, describe, expect, test } from 'bun:test'
import type { ServiceTransport } from '../../../src/agents/client/client.ts'
import type { CommandWorld } from '../../../src/operator/command/command.ts'
import {
  startSwapUpstream,
  stopSwapUpstreams,
  wireNameOf,
  wireWith,
} from '../../gateway/swap/fixture.ts'
import { settingsFolder } from '../../settings-folder.ts'
import { type ClockedTarget, openClocked } from '../../surface/clocked-target.ts'
import { NO_NETWORK, runCommand } from '../run-command.ts'

const BASE = 'http://127.0.0.1:1'
const opened: ClockedTarget[] = []

afterEach(async () => {
  for (const target of opened.splice(0)) await target.stop()
  await stopSwapUpstreams()
})

async function open(settings: Record<string, string> = {}): Promise<ClockedTarget> {
  const target = await openClocked({ VENUE: 'embedded', ...settings })
  opened.push(target)
  return target
}

/** Requests straight into a target, each target path remembered. */
function into(target: ClockedTarget, paths: string[] = []): ServiceTransport {
  return async (request) => {
    const { pathname, search } = new URL(request.url)
    paths.push(pathname + search)
    const { method, headers } = request
    const body = method === 'GET' ? null : await request.text()
    return target.fetch(pathname + search, { method, headers, body })
  }
}

/** The world of commands, with time that passes only where they sleep. */
function worldOf(target: ClockedTarget): CommandWorld {
  return {
    ...NO_NETWORK,
    clock: { nowMs: target.nowMs },
    random: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
    sleep: async (ms) => target.advance(ms),
  }
}

/** The command as the program runs it, with time that passes only where it sleeps. */
async function runTour(target: ClockedTarget, transport = into(target)) {
  using folder = settingsFolder()
  return runCommand(folder, ['tour', '--url', BASE], {}, { ...worldOf(target), transport })
}

describe('the tour', () => {
  // Slow: a tour opens an account, trades and swaps.
  test('ends with a swap that is quoted and followed until it has arrived', async () => {
    const { exitCode, lines } = await runTour(await open())
    expect({ exitCode, last: lines.at(-2) }).toEqual({
      exitCode: 0,
      last: 'Every step did what it should.',
    })
    const [, quoted] =
      /swap quote +100 USDC on Arbitrum are (\S+) ETH on Base, at least \S+ ETH; fees \S+ USD, gas \S+ USD$/m.exec(
        lines.join('\n'),
      ) ?? []
    expect(lines.at(-1)).toBe('An account of your own: prepd --mode admin account create')
    expect(lines.at(-3)).toEndWith(`swap status   done: ${quoted} ETH arrived`)
    expect(lines.join('\n')).not.toMatch(/deposit|voucher|redeem/)
  })

  // Slow: a tour opens an account, trades and swaps, and three further accounts are opened.
  test('leaves room for an account in the window that registrations share', async () => {
    const target = await open({ LIMIT_WRITE: '10/60s burst 5' })
    expect((await runTour(target)).exitCode).toBe(0)
    const statuses: number[] = []
    const transport = into(target)
    const watched: ServiceTransport = async (request) => {
      const response = await transport(request)
      statuses.push(response.status)
      return response
    }
    const create = async () => {
      using folder = settingsFolder()
      const world = { ...worldOf(target), transport: watched }
      return runCommand(folder, ['account', 'create', '--url', BASE], {}, world)
    }
    const { lines, exitCode } = await create()
    expect({ exitCode, waits: lines.filter((line) => line.includes('waiting')) }).toEqual({
      exitCode: 0,
      waits: [],
    })
    expect(statuses).not.toContain(429)
    // Whoever goes on has to wait, and reads so before.
    const later = [await create(), await create()].flatMap(({ lines }) => lines)
    expect(later).toContainEqual(
      expect.stringMatching(/^# The service admits few registrations a minute: waiting \d+ s\.$/),
    )
  })

  test('says where swaps are off, and goes on', async () => {
    const target = await open({ SWAP: 'off' })
    const paths: string[] = []
    const { exitCode, lines } = await runTour(target, into(target, paths))
    expect(exitCode).toBe(0)
    expect(lines.at(-3)).toEndWith('swap quote    swaps are not configured here')
    expect(paths.filter((path) => path.startsWith('/api/swap/'))).toEqual(['/api/swap/chains'])
  })

  test('names the address where no server answers', async () => {
    const away = () => Promise.reject(new Error('connection refused'))
    const { exitCode, lines } = await runTour(await open(), away)
    expect(exitCode).toBe(1)
    expect(lines).toEqual([
      `A tour of ${BASE}`,
      expect.stringMatching(/markets +FAILED: upstream_unavailable: .+ \(unreachable service\)$/),
      `No server answers at ${BASE}: start prepd, or name another server with --url.`,
    ])
  })

  test('fails when the transfer ends in any other way than done', async () => {
    const target = await open()
    const transport = into(target)
    const { exitCode, lines } = await runTour(target, async (request) => {
      const response = await transport(request)
      if (!request.url.includes('/api/swap/status')) return response
      const refunded = { status: 'FAILED', substatus: 'REFUNDED', final: true }
      return Response.json({ ...Object(await response.json()), ...refunded }, response)
    })
    expect(exitCode).toBe(1)
    expect(lines.slice(-2)).toEqual([
      expect.stringMatching(/swap status +FAILED: the transfer ended as FAILED, REFUNDED$/),
      'The tour ended early. --url names another server.',
    ])
  })

  test.each([
    ['live deployment', true],
    ['live swap upstream beside the embedded venue', false],
  ])('of a %s asks for a quote and follows nothing', async (_, isLive) => {
    const upstream = await startSwapUpstream({
      quote: ({ target }) => ({ json: quoteFor(new URLSearchParams(target)) }),
    })
    const target = await open({ SWAP: upstream.url })
    const transport = into(target)
    const { exitCode, lines } = await runTour(target, async (request) => {
      const response = await transport(request)
      if (isLive) response.headers.delete('x-prepd-venue')
      return response
    })
    expect(exitCode).toBe(0)
    // Where orders may be refused for want of funds, the quote comes before them.
    expect(lines[isLive ? 5 : 13]).toEndWith(
      'swap quote    100 USDC on Arbitrum are 0.0315 ETH on Base, at least 0.0313425 ETH; fees 0.38 USD, gas 0.01 USD',
    )
    expect(upstream.requests.map(wireNameOf)).toEqual(['chains', 'tokens', 'tokens', 'quote'])
    const forNobody = /fromAddress=0x0{36}dead&/.test(upstream.requests[3]?.target ?? '')
    expect(forNobody).toBe(isLive)
  })
})

/** The recorded quote for whoever asks. */
function quoteFor(query: URLSearchParams) {
  const wallet = query.get('fromAddress')
  return wireWith('quote', {
    'action.fromAddress': wallet,
    'action.toAddress': wallet,
    'transactionRequest.from': wallet,
  })
}

describe('a node given to the tour', () => {
  const NODES = ['--source-node', 'http://127.0.0.1:2', '--destination-node', 'http://[::1]:3']
  test.each([
    [NODES.slice(0, 2), '--source-node and --destination-node go together: give both or neither'],
    [NODES.slice(2), '--source-node and --destination-node go together: give both or neither'],
    [
      [...NODES.slice(0, 2), '--destination-node', 'https://node.example'],
      '--destination-node must be a node on this machine: its host a loopback address',
    ],
    [
      ['--source-node', 'http://127.0.0.1.evil.example', ...NODES.slice(2)],
      '--source-node must be a node on this machine: its host a loopback address',
    ],
    [NODES, 'PREPD_VOUCHER must be set as for the running server'],
    [
      [...NODES, '--voucher', '/nowhere/voucher.toml'],
      'PREPD_VOUCHER names a file that cannot be read, or is larger than 1 MiB: /nowhere/voucher.toml',
    ],
  ])('is refused before anything is sent: %j', async (flags, line) => {
    using folder = settingsFolder()
    expect(await runCommand(folder, ['tour', ...flags])).toEqual({ lines: [line], exitCode: 64 })
  })
})
