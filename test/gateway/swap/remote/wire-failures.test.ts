import { afterEach, describe, expect, test } from 'bun:test'
import type { AnswerSpec } from '../../../recording-upstream.ts'
import { failureOf, ORDER, stopSwapUpstreams, swapFixture } from '../fixture.ts'

afterEach(stopSwapUpstreams)

const tools = (...codes: readonly string[]) => ({
  failed: codes.map((code) => ({
    overallPath: '8453:USDC~hop',
    subpaths: { 'x-hop-y': [{ errorType: 'NO_QUOTE', code, tool: 'hop', message: 'via Hop' }] },
  })),
})
const refusal = (status: number, code: number, rest: object = {}): AnswerSpec => ({
  status,
  json: { message: 'Stargate said no', code, ...rest },
})
const noQuote = (errors: object) => refusal(404, 1002, { errors })

const REFUSALS: readonly (readonly [string, AnswerSpec, object])[] = [
  ['1000', refusal(500, 1000), { code: 'upstream_unavailable' }],
  ['1001', refusal(400, 1001), { code: 'no_route', reason: 'no_path' }],
  ['1002', refusal(404, 1002), { code: 'no_route', reason: 'no_path' }],
  ['1003', refusal(404, 1003), { code: 'unsupported_token', parameter: 'toToken' }],
  [
    '1003 of a source token',
    refusal(404, 1003, { message: 'Could not find fromToken' }),
    { code: 'unsupported_token', parameter: 'fromToken' },
  ],
  ['1004', refusal(422, 1004), { code: 'no_route', reason: 'no_path' }],
  ['1005', refusal(429, 1005), { code: 'upstream_busy' }],
  ['1006', refusal(500, 1006), { code: 'upstream_unavailable' }],
  ['1007', refusal(409, 1007), { code: 'no_route', reason: 'slippage_too_low' }],
  ['1008', refusal(424, 1008), { code: 'upstream_unavailable' }],
  ['1009', refusal(504, 1009), { code: 'upstream_timeout' }],
  ['1010', refusal(401, 1010), { code: 'upstream_unavailable' }],
  ['1011', refusal(400, 1011), { code: 'invalid_request', parameter: 'query' }],
  [
    '1011 of the slippage',
    refusal(400, 1011, { message: '/slippage must be <= 0.1' }),
    { code: 'invalid_request', parameter: 'slippageBps' },
  ],
  [
    '1011 of the receiver',
    refusal(400, 1011, { message: '/toAddress must pass validation' }),
    { code: 'invalid_address', parameter: 'toAddress' },
  ],
  ['1012', refusal(500, 1012), { code: 'upstream_unavailable' }],
  ['1013', refusal(400, 1013), { code: 'invalid_request', parameter: 'query' }],
  ['a code that is new', refusal(418, 2000), { code: 'upstream_unavailable' }],
  [
    'a page',
    { status: 502, contentType: 'text/html', body: '<p>' },
    { code: 'upstream_unavailable' },
  ],
  [
    'a page that says 200',
    { contentType: 'text/html', body: '<p>' },
    { code: 'upstream_unavailable' },
  ],
  ['a redirect', { status: 302, headers: { location: '/' } }, { code: 'upstream_unavailable' }],
  ['a list', { json: [] }, { code: 'upstream_unavailable' }],
  ['half an answer', { json: {}, truncated: 'close' }, { code: 'upstream_unavailable' }],
  ['nothing', 'close', { code: 'upstream_unavailable' }],
  [
    'amounts too low everywhere',
    noQuote(tools('AMOUNT_TOO_LOW', 'FEES_HIGHER_THAN_AMOUNT')),
    { code: 'amount_too_low', parameter: 'fromAmount' },
  ],
  [
    'amounts too high everywhere',
    noQuote(tools('AMOUNT_TOO_HIGH')),
    { code: 'amount_too_high', parameter: 'fromAmount' },
  ],
  [
    'an amount too low at one of two',
    noQuote(tools('AMOUNT_TOO_LOW', 'NO_POSSIBLE_ROUTE')),
    { code: 'no_route', reason: 'no_path' },
  ],
  [
    'nothing but tools in trouble',
    noQuote(tools('TOOL_TIMEOUT', 'RPC_ERROR', 'RATE_LIMIT_EXCEEDED', 'TOOL_SPECIFIC_ERROR')),
    { code: 'upstream_unavailable' },
  ],
  [
    'too little liquidity',
    noQuote(tools('TOOL_TIMEOUT', 'INSUFFICIENT_LIQUIDITY')),
    { code: 'no_route', reason: 'insufficient_liquidity' },
  ],
  [
    'a receiver who may not be another',
    noQuote(tools('DIFFERENT_RECIPIENT_NOT_SUPPORTED')),
    { code: 'no_route', reason: 'recipient_not_supported' },
  ],
  [
    'a guarantee nobody gives',
    noQuote(tools('CANNOT_GUARANTEE_MIN_AMOUNT')),
    { code: 'no_route', reason: 'slippage_too_low' },
  ],
  [
    'routes dropped for their price',
    noQuote({ filteredOut: [{ reason: 'Price impact of 54% is higher than 10%' }] }),
    { code: 'no_route', reason: 'price_impact' },
  ],
]

describe('refusals of a quote', () => {
  test.each(REFUSALS)('%s', async (_, answer, failure) => {
    const { provider, sent } = await swapFixture({ quote: answer })
    const found = await failureOf(provider.quote(ORDER))
    expect(found).toMatchObject(failure)
    expect(JSON.stringify(found)).not.toMatch(/stargate|hop/i)
    expect(sent('quote').length).toBeLessThanOrEqual(2)
  })

  test('a refused key is told to the operator and nobody else', async () => {
    const { provider, world } = await swapFixture(
      { chains: refusal(401, 1010) },
      { key: 'top-secret' },
    )
    expect(await failureOf(provider.chains())).toEqual({ code: 'upstream_unavailable' })
    expect(world.lines).toEqual([
      { level: 'error', event: 'swap.key_refused', fields: { status: 401 } },
    ])
  })

  test.each(['chains', 'tokens'] as const)('%s without a list are no answer', async (name) => {
    const { provider } = await swapFixture({ [name]: { json: { rows: [] } } })
    expect(await failureOf(provider[name](1))).toEqual({ code: 'upstream_unavailable' })
  })
})
