import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { FAILURES } from '../../src/contract/failures.ts'
import {
  SwapChainsAnswer,
  SwapQuoteAnswer,
  SwapStatusAnswer,
  SwapTokensAnswer,
} from '../../src/contract/swap-answers.ts'
import { demoTransactionHash } from '../../src/core/crypto/demo-swap.ts'
import { HASH, QUOTE_QUERY } from '../gateway/swap/fixture.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'

const FRAX = '0x853d955aCEf822Db058eb8505911ED77F175b99e'
const UNKNOWN = `0x${'12'.repeat(20)}`
const SOURCE = ['NOT_FOUND null', 'PENDING WAITING_SOURCE']
const BOTH = [...SOURCE, 'PENDING WAITING_DESTINATION']

/** How a transfer goes whose amount ends with these digits. */
const WAYS: readonly (readonly [ending: string, states: readonly string[]])[] = [
  ['00', [...BOTH, 'DONE COMPLETED']],
  ['01', [...BOTH, 'DONE PARTIAL']],
  ['02', [...BOTH, 'PENDING REFUND_IN_PROGRESS', 'FAILED REFUNDED']],
  ['03', [...SOURCE, 'FAILED SLIPPAGE_EXCEEDED']],
  ['04', [...SOURCE, 'FAILED OUT_OF_GAS']],
  ['05', [...SOURCE, 'FAILED INSUFFICIENT_FUNDS']],
  ['06', [...BOTH, 'FAILED REFUND_NEEDED']],
  ['07', [...BOTH, 'FAILED UNKNOWN']],
]

/** Orders that find no taker. */
const REFUSED: readonly (readonly [
  what: string,
  values: Record<string, string>,
  code: keyof typeof FAILURES,
  meta: object,
])[] = [
  ['half a dollar', { fromAmount: '500000' }, 'amount_too_low', { parameter: 'fromAmount' }],
  [
    'three million dollars',
    { fromAmount: '3000000000000' },
    'amount_too_high',
    { parameter: 'fromAmount' },
  ],
  [
    'more than a pool holds',
    { fromAmount: '1500000000000' },
    'no_route',
    { reason: 'insufficient_liquidity' },
  ],
  ['a token without a pool', { toChain: '1', toToken: FRAX }, 'no_route', { reason: 'no_path' }],
  [
    'an unknown token to give',
    { fromToken: UNKNOWN },
    'unsupported_token',
    { parameter: 'fromToken' },
  ],
  ['an unknown token to get', { toToken: UNKNOWN }, 'unsupported_token', { parameter: 'toToken' }],
  ['an unserved chain', { toChain: '137' }, 'unsupported_chain', { parameter: 'toChain' }],
]

describe.each([...USUAL_KINDS])('the embedded swap world, %s', (kind) => {
  let target: Target
  let looks = 0

  beforeAll(async () => {
    target = await openTarget(kind, {
      VENUE_CLOCK: 'virtual',
      OPS_LISTEN: '127.0.0.1:0',
      LIMIT_SWAP: 'off',
      LIMIT_SWAP_QUOTE: 'off',
    })
  })
  afterAll(() => target.stop())

  async function read(route: string, query: Record<string, string>) {
    const response = await target.fetch(`/api/swap/${route}?${new URLSearchParams(query)}`)
    return { response, body: JSON.parse(await response.text()) }
  }
  const quote = async (values: Record<string, string> = {}) =>
    (await read('quote', { ...QUOTE_QUERY, ...values })).body

  // A wrong hint changes nothing but where the answer is kept, so that a look need not wait for the last one to age.
  async function look(txHash: string) {
    looks += 1
    return (await read('status', { txHash, toChain: String(looks) })).body
  }
  async function advance(ms: number): Promise<void> {
    const { status } = await target.ops(`/venue/advance?ms=${ms}`, { method: 'POST' })
    expect(status).toBe(200)
  }
  /** Every state of a transfer in order, a second between looks. */
  async function follow(txHash: string) {
    const seen: string[] = []
    for (let seconds = 0; seconds < 15; seconds += 1) {
      const answer = await look(txHash)
      expect([...Value.Errors(SwapStatusAnswer, answer)]).toEqual([])
      const state = `${answer.status} ${answer.substatus}`
      if (seen.at(-1) !== state) seen.push(state)
      if (answer.final) return { seen, answer }
      await advance(1000)
    }
    throw new Error(`never final: ${seen.join(', ')}`)
  }

  test('has chains, and tokens of each with the coin in front, to be searched', async () => {
    const chains = await read('chains', {})
    expect([...Value.Errors(SwapChainsAnswer, chains.body)]).toEqual([])
    expect(chains.response.headers.get('x-prepd-venue')).toBe('embedded')
    for (const { chainId, nativeSymbol, nativeAddress } of chains.body.rows) {
      const { body } = await read('tokens', { chainId: String(chainId) })
      expect([...Value.Errors(SwapTokensAnswer, body)]).toEqual([])
      expect(body.rows[0]).toMatchObject({ symbol: nativeSymbol, address: nativeAddress })
      expect(body.total).toBe(body.rows.length)
    }
    const found = (await read('tokens', { chainId: '1', search: 'usd', limit: '1' })).body
    expect({ symbols: found.rows.map(Object), total: found.total }).toMatchObject({
      symbols: [{ symbol: 'USDC' }],
      total: 2,
    })
  })

  test('quotes a swap with its transaction, and a price without one', async () => {
    const full = await quote()
    expect([...Value.Errors(SwapQuoteAnswer, full)]).toEqual([])
    expect(full).toMatchObject({ indicative: false, approval: { amount: '100000000' } })
    expect(full.expiresAt - full.createdAt).toBe(60_000)
    const { fromAddress: _, ...anonymous } = QUOTE_QUERY
    const { response, body } = await read('quote', anonymous)
    expect([...Value.Errors(SwapQuoteAnswer, body)]).toEqual([])
    expect(body).toMatchObject({ indicative: true, transaction: null, approval: null })
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  test.each(WAYS)(
    'takes a transfer of an amount ending in %s through %j',
    async (ending, states) => {
      const { transaction, toAmount } = await quote({ fromAmount: `1000000${ending}` })
      const { seen, answer } = await follow(demoTransactionHash(transaction.data))
      expect(seen).toEqual([...states])
      const { sending, receiving } = answer
      expect(sending).toMatchObject({ chainId: 42_161, amount: `1000000${ending}` })
      expect(sending.txLink).toStartWith('https://arbiscan.io/tx/0x')
      const arrived = answer.substatus === 'COMPLETED' ? toAmount : null
      if (answer.status === 'FAILED' && answer.substatus !== 'REFUNDED') {
        expect(receiving).toMatchObject({ txHash: null, amount: null })
      }
      if (arrived) expect(receiving).toMatchObject({ chainId: 8453, amount: arrived })
    },
  )

  test('lets a quote expire a minute after it was made, and not before', async () => {
    const [kept, late] = [await quote(), await quote()]
    await advance(60_000)
    expect((await follow(demoTransactionHash(kept.transaction.data))).seen.at(-1)).toBe(
      'DONE COMPLETED',
    )
    const { seen, answer } = await follow(demoTransactionHash(late.transaction.data))
    expect(seen).toEqual([...SOURCE, 'FAILED EXPIRED'])
    expect(answer.receiving.amount).toBeNull()
  })

  test('has never seen a hash that is of no quote', async () => {
    await look(HASH)
    await advance(10_000)
    expect(await look(HASH)).toMatchObject({
      status: 'NOT_FOUND',
      substatus: null,
      final: false,
      sending: null,
      receiving: null,
    })
  })

  test.each(REFUSED)('has no offer for %s', async (_, values, code, meta) => {
    const { response, body } = await read('quote', { ...QUOTE_QUERY, ...values })
    const { status, error } = FAILURES[code]
    expect({ status: response.status, body }).toMatchObject({ status, body: { code, error, meta } })
  })
})
