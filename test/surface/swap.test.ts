import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { FAILURES } from '../../src/contract/failures.ts'
import { HASH, QUOTE_QUERY, startSwapUpstream, WALLET } from '../gateway/swap/fixture.ts'
import type { RecordingUpstream } from '../recording-upstream.ts'
import { openTarget, TARGET_KINDS, type Target } from '../target.ts'

type Code = keyof typeof FAILURES
type Values = Readonly<Record<string, string | undefined>>

const UNLIMITED = { LIMIT_SWAP: 'off', LIMIT_SWAP_QUOTE: 'off' } as const
const NATIVE = QUOTE_QUERY.toToken
const USDC = QUOTE_QUERY.fromToken

/** The path of a call with its query; undefined leaves a parameter out. */
function pathOf(route: string, values: Values): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return `/api/swap/${route}?${given.join('&')}`
}

const quotePath = (values: Values) => pathOf('quote', { ...QUOTE_QUERY, ...values })

/** What each parameter of a quote must not be, the failure, and the parameter that it names. */
const QUOTES: readonly (readonly [Values, Code, string])[] = [
  [{ fromChain: undefined }, 'invalid_request', 'fromChain'],
  [{ fromChain: '0' }, 'invalid_request', 'fromChain'],
  [{ fromChain: '042161' }, 'invalid_request', 'fromChain'],
  [{ fromChain: 'arb' }, 'invalid_request', 'fromChain'],
  [{ fromChain: '1'.repeat(17) }, 'invalid_request', 'fromChain'],
  [{ toChain: '' }, 'invalid_request', 'toChain'],
  [{ toChain: '-8453' }, 'invalid_request', 'toChain'],
  [{ fromToken: undefined }, 'invalid_request', 'fromToken'],
  [{ fromToken: 'USDC' }, 'invalid_request', 'fromToken'],
  [{ fromToken: USDC.slice(2) }, 'invalid_request', 'fromToken'],
  [{ toToken: `${NATIVE}0` }, 'invalid_request', 'toToken'],
  [{ toChain: '42161', toToken: USDC.toLowerCase() }, 'invalid_request', 'toToken'],
  [
    { fromToken: NATIVE, toChain: '42161', toToken: `0x${'e'.repeat(40)}` },
    'invalid_request',
    'toToken',
  ],
  [{ fromAmount: undefined }, 'invalid_request', 'fromAmount'],
  [{ fromAmount: '0' }, 'invalid_request', 'fromAmount'],
  [{ fromAmount: '1.5' }, 'invalid_request', 'fromAmount'],
  [{ fromAmount: '-1' }, 'invalid_request', 'fromAmount'],
  [{ fromAmount: '1e8' }, 'invalid_request', 'fromAmount'],
  [{ fromAmount: String(2n ** 256n) }, 'invalid_request', 'fromAmount'],
  [{ fromAmount: '1'.repeat(79) }, 'invalid_request', 'fromAmount'],
  [{ fromAddress: 'me' }, 'invalid_address', 'fromAddress'],
  [{ fromAddress: NATIVE }, 'invalid_address', 'fromAddress'],
  [{ fromAddress: WALLET.replace('cC1', 'Cc1') }, 'invalid_address', 'fromAddress'],
  [{ toAddress: '0x' }, 'invalid_address', 'toAddress'],
  [{ toAddress: NATIVE }, 'invalid_address', 'toAddress'],
  [{ fromAddress: undefined, toAddress: WALLET }, 'invalid_address', 'toAddress'],
  [{ slippageBps: '0' }, 'invalid_request', 'slippageBps'],
  [{ slippageBps: '2001' }, 'invalid_request', 'slippageBps'],
  [{ slippageBps: '0.5' }, 'invalid_request', 'slippageBps'],
  [{ order: 'SAFEST' }, 'invalid_request', 'order'],
  [{ order: 'cheapest' }, 'invalid_request', 'order'],
]

/** What cannot be judged by its shape: whether a chain is served. */
const UNSERVED: readonly (readonly [path: string, parameter: string])[] = [
  [quotePath({ fromChain: '5' }), 'fromChain'],
  [quotePath({ toChain: '1151111081099710' }), 'toChain'],
  [quotePath({ toChain: '9270000000000000' }), 'toChain'],
  [pathOf('tokens', { chainId: '5' }), 'chainId'],
  [pathOf('tokens', { chainId: '9007199254740993' }), 'chainId'],
]

const HASH_SENTENCE = 'Give a transaction hash: 0x and 64 hex characters.'
const CHAIN_SENTENCE = 'Chain ids must be whole numbers.'

const STATUSES: readonly (readonly [path: string, error: string])[] = [
  ['/api/swap/status', HASH_SENTENCE],
  [pathOf('status', { txHash: HASH.slice(2) }), HASH_SENTENCE],
  [pathOf('status', { txHash: `${HASH}0` }), HASH_SENTENCE],
  [pathOf('status', { txHash: `0x${'g'.repeat(64)}` }), HASH_SENTENCE],
  [`${pathOf('status', { txHash: HASH })}&txHash=${HASH}`, HASH_SENTENCE],
  [pathOf('status', { txHash: HASH, fromChain: 'arb' }), CHAIN_SENTENCE],
  [pathOf('status', { txHash: HASH, toChain: '1.5' }), CHAIN_SENTENCE],
  [`${pathOf('status', { txHash: HASH })}&toChain=1&toChain=1`, CHAIN_SENTENCE],
  [pathOf('status', { txHash: HASH, x: 'y'.repeat(9000) }), HASH_SENTENCE],
]

describe.each([...TARGET_KINDS])('refused swaps, %s', (kind) => {
  let upstream: RecordingUpstream
  let target: Target

  beforeAll(async () => {
    upstream = await startSwapUpstream()
    target = await openTarget(kind, { SWAP: upstream.url, ...UNLIMITED })
  })
  afterAll(async () => {
    await target.stop()
    await upstream.stop()
  })

  async function answerTo(path: string, init?: RequestInit) {
    const response = await target.fetch(path, init)
    expect(response.headers.get('cache-control')).toBe('no-store')
    return { status: response.status, body: JSON.parse(await response.text()) }
  }

  function failure(code: Code, meta: object) {
    const { status, error } = FAILURES[code]
    return { status, body: { code, error, meta } }
  }

  test.each(QUOTES)('a quote of %j is %s and names %s, and nothing is sent', async (...row) => {
    const [values, code, parameter] = row
    expect(await answerTo(quotePath(values))).toMatchObject(
      failure(code, { parameter, reason: expect.any(String), expected: expect.any(String) }),
    )
    expect(upstream.requests).toEqual([])
  })

  test.each(Object.keys(QUOTE_QUERY))('a quote with two of %s names it', async (parameter) => {
    const path = `${quotePath({})}&${parameter}=1`
    expect(await answerTo(path)).toMatchObject(
      failure('invalid_request', { parameter, reason: 'repeated' }),
    )
    expect(upstream.requests).toEqual([])
  })

  test.each([
    ['chainId', {}],
    ['chainId', { chainId: 'arb' }],
    ['chainId', { chainId: '0' }],
    ['search', { chainId: '1', search: 'x'.repeat(65) }],
  ])('a token list without a good %s names it: %j', async (parameter, values) => {
    const wanted = failure('invalid_request', { parameter, reason: expect.any(String) })
    expect(await answerTo(pathOf('tokens', values))).toMatchObject(wanted)
    expect(upstream.requests).toEqual([])
  })

  test.each(STATUSES)('a status at %s has a sentence and no code', async (path, error) => {
    expect(await answerTo(path)).toEqual({ status: 400, body: { error } })
    expect(upstream.requests).toEqual([])
  })

  test.each(['quote', 'tokens', 'chains'])('%s takes no POST', async (route) => {
    const wanted = failure('method_not_allowed', { allow: 'GET, HEAD' })
    const { status, body } = await answerTo(`/api/swap/${route}`, { method: 'POST', body: '{}' })
    expect({ status, code: body.code }).toEqual({ status: wanted.status, code: wanted.body.code })
    expect(upstream.requests).toEqual([])
  })

  test('status takes no POST, in its own shape', async () => {
    const response = await target.fetch('/api/swap/status', { method: 'POST', body: '{}' })
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 405,
      body: { error: 'This method is not supported here.' },
    })
    expect(response.headers.get('allow')).toBe('GET, HEAD')
  })

  test.each(UNSERVED)('%s is of a chain that is not served', async (path, parameter) => {
    expect(await answerTo(path)).toEqual(
      failure('unsupported_chain', { parameter, reason: 'unknown_chain' }),
    )
    expect(upstream.requests.map(({ target }) => target.split('?')[0])).toEqual(['/v1/chains'])
  })
})

describe.each([...TARGET_KINDS])('a deployment without swaps, %s', (kind) => {
  let target: Target

  beforeAll(async () => {
    const [LIMIT_SWAP, LIMIT_SWAP_QUOTE] = ['3/3600s burst 3', '1/3600s burst 1']
    target = await openTarget(kind, { SWAP: 'off', LIMIT_SWAP, LIMIT_SWAP_QUOTE })
  })
  afterAll(() => target.stop())

  test('says so in the shape of each route, and counts even those calls', async () => {
    const ask = async (path: string) => {
      const response = await target.fetch(path)
      return { status: response.status, body: await response.json() }
    }
    const off = {
      status: 503,
      body: { code: 'not_configured', error: FAILURES.not_configured.error },
    }
    expect(await ask(quotePath({}))).toEqual(off)
    expect(await ask('/api/swap/chains')).toEqual(off)
    expect(await ask('/api/swap/tokens?chainId=1')).toEqual(off)
    const status = pathOf('status', { txHash: HASH })
    expect(await ask(status)).toEqual({
      status: 503,
      body: { error: 'Transfer status is not available right now.' },
    })
    for (const path of [quotePath({}), status, '/api/swap/chains']) {
      const { code, error } = { code: 'rate_limited', error: FAILURES.rate_limited.error }
      expect(await ask(path)).toMatchObject({ status: 429, body: { code, error } })
    }
    const refused = await target.fetch(status)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})
