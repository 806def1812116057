// Slow: a silent endpoint is waited for until its deadline.
import { afterEach, describe, expect, test } from 'bun:test'
import { createChains } from '../../../src/gateway/voucher/chains.ts'
import type { SourceChain } from '../../../src/gateway/voucher/config.ts'

const TX = `0x${'1'.repeat(64)}`
const BLOCK = `0x${'2'.repeat(64)}`
const NOW_MS = 1_800_000_000_000
const block = { number: '0xa', hash: BLOCK, timestamp: `0x${(NOW_MS / 1000).toString(16)}` }
const RESULTS: Readonly<Record<string, unknown>> = {
  eth_chainId: '0x385',
  eth_getBlockByNumber: block,
  eth_getTransactionReceipt: {
    transactionHash: TX,
    blockHash: BLOCK,
    blockNumber: '0xa',
    status: '0x1',
    logs: [],
  },
}

type Call = { readonly id: number; readonly method: string; readonly params: unknown[] }
type Answer = (call: Call, request: Request) => Response | Promise<Response>

const servers: Bun.Server<undefined>[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop(true)))
})

/** An endpoint on loopback; its URL has a path and a query of its own. */
function endpoint(answer: Answer): { url: URL; calls: Call[] } {
  const calls: Call[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const call: Call = JSON.parse(await request.text())
      calls.push(call)
      return answer(call, request)
    },
  })
  servers.push(server)
  return { url: new URL(`http://127.0.0.1:${server.port}/v2/key?dkey=1`), calls }
}

const honest: Answer = ({ id, method }) =>
  Response.json({ jsonrpc: '2.0', id, result: RESULTS[method] })
/** Honest but for receipts. */
const butReceipts =
  (answer: Answer): Answer =>
  (call, request) =>
    (call.method === 'eth_getTransactionReceipt' ? answer : honest)(call, request)

function read(urls: readonly URL[], deadlineMs = 60_000) {
  const chain: SourceChain = {
    chainId: 901,
    rpcs: urls,
    quorum: 2,
    vault: '',
    startBlock: 0n,
    payableSeconds: 3600,
    event: 'Deposit',
    finality: 'finalized',
    checkpoint: null,
    destinationChainId: null,
    symbols: new Map(),
    payouts: new Map(),
  }
  const clock = { nowMs: () => NOW_MS }
  const chains = createChains({ chains: new Map([[901, chain]]), clock, deadlineMs })
  return chains.read(901, TX)
}

const MINED = {
  kind: 'mined',
  receipt: { blockNumber: 10n, blockHash: BLOCK, succeeded: true, logs: [] },
  canonicalHash: BLOCK,
  minedAtSeconds: BigInt(NOW_MS / 1000),
  finalNumber: 10n,
} as const
const failed = (fault: string) => ({ kind: 'failed', fault })

describe('an endpoint', () => {
  test('is asked at its whole address, for this transaction and block only', async () => {
    const targets: string[] = []
    const { url, calls } = endpoint((call, request) => {
      targets.push(request.url, request.headers.get('content-type') ?? '')
      return honest(call, request)
    })
    expect(await read([url])).toEqual([MINED])
    expect(new Set(targets)).toEqual(new Set([url.href, 'application/json']))
    expect(calls.map(({ method, params }) => [method, ...params]).sort()).toEqual([
      ['eth_chainId'],
      ['eth_getBlockByNumber', '0xa', false],
      ['eth_getBlockByNumber', 'finalized', false],
      ['eth_getBlockByNumber', 'latest', false],
      ['eth_getTransactionReceipt', TX],
    ])
  })

  // biome-ignore format: one answer a row
  test.each<[string, Answer, unknown]>([
    ['knows nothing of it', butReceipts(({ id }) => Response.json({ id, result: null })), { kind: 'absent', finalNumber: 10n }],
    ['answers an error', butReceipts(({ id }) => Response.json({ id, error: { code: -32000, message: 'li.fi' } })), failed('malformed')],
    ['answers another call', butReceipts(() => Response.json({ id: 99, result: null })), failed('malformed')],
    ['answers no JSON', butReceipts(() => new Response('<html>')), failed('malformed')],
    ['answers a list', butReceipts(() => Response.json([{ id: 1, result: null }])), failed('malformed')],
    ['answers a receipt of another', butReceipts(({ id }) => Response.json({ id, result: { transactionHash: BLOCK } })), failed('malformed')],
    ['refuses', butReceipts(() => new Response('', { status: 429 })), failed('unreachable')],
    ['answers without end', butReceipts(() => new Response(' '.repeat(4 * 1024 * 1024 + 1))), failed('unreachable')],
    ['does not answer', butReceipts(() => new Promise<Response>(() => undefined)), failed('unreachable')],
    ['has no final block', ({ id, method, params }) => Response.json({ id, result: params[0] === 'finalized' ? null : RESULTS[method] }), failed('malformed')],
    ['is on another chain', ({ id, method }) => Response.json({ id, result: method === 'eth_chainId' ? '0x386' : RESULTS[method] }), failed('wrong_chain')],
    ['has no chain', ({ id, method }) => Response.json({ id, result: method === 'eth_chainId' ? 901 : RESULTS[method] }), failed('wrong_chain')],
  ])('that %s has no say, and the others are heard', async (_, answer, view) => {
    const [bad, good] = [endpoint(answer), endpoint(honest)]
    expect<unknown>(await read([bad.url, good.url], 3000)).toEqual([view, MINED])
  })

  test('that is silent is not waited for when the others agree, to affirm or to contradict', async () => {
    const silent = () => new Promise<Response>(() => undefined)
    const denying = butReceipts(({ id }) => Response.json({ id, result: null }))
    for (const [quiet, other] of [
      [silent, honest],
      [butReceipts(silent), honest],
      [silent, denying],
    ] as const) {
      const urls = [endpoint(quiet), endpoint(other), endpoint(honest)].map(({ url }) => url)
      // Longer than a test may take.
      const [first, ...rest] = await read(urls, 600_000)
      expect<unknown>(first).toEqual(failed('silent'))
      expect<unknown>(rest).toEqual([
        other === honest ? MINED : { kind: 'absent', finalNumber: 10n },
        MINED,
      ])
    }
  })

  test('that is late but within the patience is heard', async () => {
    const late = butReceipts(async (call, request) => {
      await Bun.sleep(50)
      return honest(call, request)
    })
    const urls = [endpoint(late), endpoint(honest), endpoint(honest)].map(({ url }) => url)
    expect<unknown>(await read(urls, 600_000)).toEqual([MINED, MINED, MINED])
  })

  test('that redirects is not followed', async () => {
    const target = endpoint(honest)
    const moved = endpoint(butReceipts(() => Response.redirect(target.url.href, 307)))
    expect<unknown>(await read([moved.url])).toEqual([failed('unreachable')])
    expect(target.calls).toEqual([])
  })

  test('that is not there is known as such', async () => {
    const { url } = endpoint(honest)
    await Promise.all(servers.splice(0).map((server) => server.stop(true)))
    expect<unknown>(await read([url])).toEqual([failed('unreachable')])
  })

  test('that gives another height for the block it is asked for has no say', async () => {
    const { url } = endpoint(({ id, method, params }) =>
      Response.json({
        id,
        result: params[0] === '0xa' ? { ...block, number: '0xb' } : RESULTS[method],
      }),
    )
    expect<unknown>(await read([url])).toEqual([failed('malformed')])
  })
})
