import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { FAILURES } from '../../src/contract/failures.ts'
import {
  SwapChainsAnswer,
  SwapQuoteAnswer,
  SwapStatusAnswer,
  SwapTokensAnswer,
} from '../../src/contract/swap-answers.ts'
import {
  HASH,
  QUOTE_QUERY,
  startSwapUpstream,
  type WireName,
  wireNameOf,
  wireWith,
} from '../gateway/swap/fixture.ts'
import { type AnswerSpec, headerOf, type RecordingUpstream } from '../recording-upstream.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'

const QUOTE = `/api/swap/quote?${new URLSearchParams(QUOTE_QUERY)}`
const STATUS = `/api/swap/status?txHash=${HASH}`
const ROUTER = '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE'
const UNLIMITED = { LIMIT_SWAP: 'off', LIMIT_SWAP_QUOTE: 'off' } as const

/** Names of routers, bridges and icon hosts, which no answer may contain. Tokens and chains keep their names. */
const NAMES =
  /li\W?fi\b|lifinance|li\.quest|jumper|stargate|layerzero|1inch|feecollection|fee-demo/i

/** A refusal of the wire in which every tool gives one reason, in words that name a venue. */
function unquoted(code: string): AnswerSpec {
  const error = { errorType: 'NO_QUOTE', code, tool: 'stargateV2', message: 'Stargate says no' }
  const failed = [{ overallPath: 'usdc-stargateV2-eth', subpaths: { 'a-b': [error] } }]
  const json = { message: 'No available quotes at LI.FI', code: 1002, errors: { failed } }
  return { status: 404, json }
}

const refusal = (status: number, code: number, message = 'LI.FI says no'): AnswerSpec => ({
  status,
  json: { message, code },
})

type Code = keyof typeof FAILURES

/** The upstream's behaviour on a quote, and the caller's answer. */
// biome-ignore format: one answer a row
const QUOTES: readonly (readonly [what: string, answer: AnswerSpec, code: Code, meta?: object])[] = [
  ['an amount too low', unquoted('AMOUNT_TOO_LOW'), 'amount_too_low', { parameter: 'fromAmount' }],
  ['fees above the amount', unquoted('FEES_HIGHER_THAN_AMOUNT'), 'amount_too_low', { parameter: 'fromAmount' }],
  ['an amount too high', unquoted('AMOUNT_TOO_HIGH'), 'amount_too_high', { parameter: 'fromAmount' }],
  ['no route', unquoted('NO_POSSIBLE_ROUTE'), 'no_route', { reason: 'no_path' }],
  ['a dry pool', unquoted('INSUFFICIENT_LIQUIDITY'), 'no_route', { reason: 'insufficient_liquidity' }],
  ['tools that stumble', unquoted('TOOL_TIMEOUT'), 'upstream_unavailable'],
  ['slippage', refusal(409, 1007), 'no_route', { reason: 'slippage_too_low' }],
  ['a bad token', refusal(400, 1011, '/fromToken is not one'), 'unsupported_token', { parameter: 'fromToken' }],
  ['a timeout of its own', refusal(500, 1009), 'upstream_timeout'],
  ['a refused key', refusal(401, 1010), 'upstream_unavailable'],
  ['an outage', refusal(500, 1006), 'upstream_unavailable'],
  ['a page', { status: 200, body: '<html>LI.FI</html>', contentType: 'text/html' }, 'upstream_unavailable'],
  ['a redirect', { status: 302, json: {}, headers: { location: 'https://li.fi' } }, 'upstream_unavailable'],
  ['a closed connection', 'close', 'upstream_unavailable'],
  ['another chain', tampered('transactionRequest.chainId', 1), 'upstream_unavailable'],
  ['another recipient', tampered('action.toAddress', ROUTER), 'upstream_unavailable'],
  ['another sender', tampered('transactionRequest.from', ROUTER), 'upstream_unavailable'],
  ['another amount', tampered('estimate.fromAmount', '100000001'), 'upstream_unavailable'],
  ['another token', tampered('action.toToken.address', ROUTER), 'upstream_unavailable'],
  ['too little back', tampered('estimate.toAmountMin', '1'), 'upstream_unavailable'],
  ['coins taken besides', tampered('transactionRequest.value', '0xde0b6b3a7640000'), 'upstream_unavailable'],
  ['calldata without end', tampered('transactionRequest.data', `0x${'00'.repeat(70_000)}`), 'upstream_unavailable'],
  ['a call that nobody knows', tampered('transactionRequest.data', '0xdeadbeef'), 'upstream_unavailable'],
  ['gas beyond all price', tampered('transactionRequest.gasPrice', '0xde0b6b3a7640000'), 'upstream_unavailable'],
  ['an approval for itself', tampered('transactionRequest.data', `0x095ea7b3${'0'.repeat(128)}`), 'upstream_unavailable'],
]

function tampered(path: string, value: unknown): AnswerSpec {
  return { json: wireWith('quote', { [path]: value }) }
}

/** The upstream's behaviour on a status, and the caller's answer: a sentence alone. */
const STATUSES: readonly (readonly [
  what: string,
  answer: AnswerSpec,
  status: number,
  error: string,
])[] = [
  ['an outage', refusal(500, 1006), 502, 'Transfer status is not available right now.'],
  ['a refused key', refusal(401, 1010), 502, 'Transfer status is not available right now.'],
  ['its timeout', refusal(408, 1009), 504, 'Transfer status took too long.'],
  ['a closed connection', 'close', 502, 'Transfer status is not available right now.'],
]

describe.each([...USUAL_KINDS])('swaps of a remote upstream, %s', (kind) => {
  const answers: Partial<Record<WireName, AnswerSpec>> = {}
  let upstream: RecordingUpstream
  let target: Target

  beforeAll(async () => {
    upstream = await startSwapUpstream(answers)
    const settings = { SWAP: upstream.url, SWAP_KEY: 'top-secret-key', SWAP_INTEGRATOR: 'acme.io' }
    target = await openTarget(kind, { ...settings, ...UNLIMITED })
  })
  afterEach(() => {
    delete answers.quote
    delete answers.status
  })
  afterAll(async () => {
    await target.stop()
    await upstream.stop()
  })

  async function read(path: string, from = target) {
    const response = await from.fetch(path)
    const text = await response.text()
    return { response, text, body: JSON.parse(text) }
  }
  const sent = (name: WireName) => upstream.requests.filter((one) => wireNameOf(one) === name)

  test('are answered in our own shapes, and name nobody', async () => {
    const chains = await read('/api/swap/chains')
    const quote = await read(QUOTE)
    const status = await read(STATUS)
    const tokens = await read('/api/swap/tokens?chainId=1')
    expect([...Value.Errors(SwapChainsAnswer, chains.body)]).toEqual([])
    expect([...Value.Errors(SwapTokensAnswer, tokens.body)]).toEqual([])
    expect([...Value.Errors(SwapQuoteAnswer, quote.body)]).toEqual([])
    expect([...Value.Errors(SwapStatusAnswer, status.body)]).toEqual([])
    expect(tokens.body.rows.map(Object)).toMatchObject([
      { symbol: 'ETH' },
      { symbol: 'USDC' },
      {},
      {},
      {},
      {},
    ])
    expect(quote.body).toMatchObject({
      toAmount: '31500000000000000',
      approval: { spender: ROUTER.toLowerCase(), amount: '100000000' },
      transaction: { chainId: 42_161, to: ROUTER.toLowerCase(), value: '40000000000000' },
    })
    expect(status.body).toMatchObject({ status: 'DONE', substatus: 'COMPLETED', final: true })
    for (const { text, response } of [chains, quote, status]) {
      expect(text).not.toMatch(NAMES)
      expect(JSON.stringify([...response.headers])).not.toMatch(NAMES)
    }
    expect(tokens.text).not.toMatch(/lifinance|li\.fi/i)
    expect(tokens.body.rows.map(({ name }: { name: string }) => name).join()).not.toMatch(NAMES)
  })

  test('are paid for with the operator’s key and name, which go nowhere else', async () => {
    await read(QUOTE)
    const [request] = sent('quote')
    expect(request && headerOf(request, 'x-lifi-api-key')).toBe('top-secret-key')
    expect(request?.target).toContain('integrator=acme.io')
    expect(request?.target).not.toContain('top-secret-key')
    expect(target.log()).not.toContain('top-secret-key')
  })

  // Objects, since a row shorter than the parameters gets a callback for the last one.
  const outcomes = QUOTES.map(([what, answer, code, meta]) => ({ what, answer, code, meta }))
  test.each(outcomes)('fail in our own words for $what', async ({ answer, code, meta }) => {
    answers.quote = answer
    const before = sent('quote').length
    const { response, text, body } = await read(QUOTE)
    const { status, error } = FAILURES[code]
    expect({ status: response.status, body }).toEqual({
      status,
      body: { code, error, ...(meta && { meta }) },
    })
    expect(text).not.toMatch(NAMES)
    expect(sent('quote').length).toBeGreaterThan(before)
  })

  test.each(STATUSES)('leave the status without a code for %s', async (...row) => {
    const [, answer, status, error] = row
    answers.status = answer
    const other = `0x${crypto.randomUUID().replaceAll('-', '').repeat(2)}`
    const { response, body } = await read(`/api/swap/status?txHash=${other}`)
    expect({ status: response.status, body }).toEqual({ status, body: { error } })
  })

  test('leave nothing of the upstream’s words in the log', () => {
    expect(target.log()).toContain('swap.')
    expect(target.log()).not.toMatch(/says no|No available quotes|<html>/)
  })

  test('wait for the upstream’s own limit without calling it', async () => {
    const busy = { status: 429, json: { code: 1005 }, headers: { 'ratelimit-reset': '40' } }
    Object.assign(answers, { quote: busy, status: busy })
    const first = await read(QUOTE)
    expect(first.response.status).toBe(503)
    expect(first.body).toMatchObject({ code: 'upstream_busy', meta: { retryAfterSeconds: 40 } })
    expect(first.response.headers.get('retry-after')).toBe('40')
    const before = upstream.requests.length
    expect((await read(QUOTE)).body.code).toBe('upstream_busy')
    expect(upstream.requests.length).toBe(before)
    const status = await read(`/api/swap/status?txHash=0x${'3'.repeat(64)}`)
    expect({ status: status.response.status, body: status.body }).toEqual({
      status: 503,
      body: { error: 'Transfer status is not available right now.' },
    })
    expect(status.response.headers.get('retry-after')).toBe('40')
  })

  test('reach a wallet only when they call a contract that the operator named', async () => {
    const settings = { SWAP: upstream.url, ...UNLIMITED }
    const ours = await openTarget(kind, {
      ...settings,
      SWAP_ROUTERS: `0x${'1'.repeat(40)},${ROUTER}`,
    })
    const others = await openTarget(kind, { ...settings, SWAP_ROUTERS: `0x${'1'.repeat(40)}` })
    expect(ours.log()).not.toContain('swap.routers_not_named')
    expect(target.log()).toContain('swap.routers_not_named')
    expect((await read(QUOTE, ours)).body.transaction.to).toBe(ROUTER.toLowerCase())
    const { response, body } = await read(QUOTE, others)
    expect({ status: response.status, body }).toEqual({
      status: 502,
      body: { code: 'upstream_unavailable', error: FAILURES.upstream_unavailable.error },
    })
    expect(others.log()).toContain('"check":"router"')
    await Promise.all([ours.stop(), others.stop()])
  })
})
