import { afterEach, describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { SwapQuoteAnswer } from '../../../src/contract/swap-answers.ts'
import { swapQuote } from '../../../src/gateway/swap/quote.ts'
import {
  failureOf,
  QUOTE_QUERY,
  queryOf,
  START_MS,
  stopSwapUpstreams,
  swapDeps,
  swapFixture,
  swapWorld,
  WALLET,
  wireWith,
} from './fixture.ts'

afterEach(stopSwapUpstreams)

const wallet = WALLET.toLowerCase()

test('a quote is the allow-listed fields of the upstream’s, in this service’s units', async () => {
  const { deps } = await swapFixture()
  const answer = await swapQuote(deps, queryOf(QUOTE_QUERY))
  expect(answer.headers['cache-control']).toBe('no-store')
  const quote: SwapQuoteAnswer = JSON.parse(answer.reply.text())
  expect([...Value.Errors(SwapQuoteAnswer, quote)]).toEqual([])
  expect(Object.keys(quote).sort()).toEqual(Object.keys(SwapQuoteAnswer.properties).sort())
  expect(quote).toMatchObject({
    indicative: false,
    fromAddress: wallet,
    toAddress: wallet,
    fromAmount: '100000000',
    toAmount: '31500000000000000',
    toAmountMin: '31342500000000000',
    slippageBps: 50,
    estimatedDurationSec: 12,
    feesUsd: '0.38',
    gasUsd: '0.01',
    approval: {
      token: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
      spender: '0x1231deb6f5749ef6ce6943a275a1d3e7486f4eae',
      amount: '100000000',
      resetFirst: false,
    },
    transaction: {
      chainId: 42161,
      from: wallet,
      to: '0x1231deb6f5749ef6ce6943a275a1d3e7486f4eae',
      value: '40000000000000',
      gasLimit: '315455',
      gasPrice: '10000000',
    },
    createdAt: START_MS,
    expiresAt: START_MS + 60_000,
  })
  expect(quote.fees.map(({ type, included }) => [type, included])).toEqual([
    ['service', true],
    ['relay', false],
  ])
  expect(quote.steps.map(({ type }) => type)).toEqual(['swap', 'bridge'])
  expect(quote.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(answer.reply.text()).not.toMatch(/li\.?fi|stargate|1inch|layerzero|a8dc011a|fee-demo/i)
})

test('without a wallet the price is indicative, has nothing to sign, and is kept for ten seconds', async () => {
  const { deps, sent, world } = await swapFixture()
  const query = queryOf({ ...QUOTE_QUERY, fromAddress: undefined })
  const first = await swapQuote(deps, query)
  expect(JSON.parse(first.reply.text())).toMatchObject({
    indicative: true,
    fromAddress: null,
    toAddress: null,
    approval: null,
    transaction: null,
  })
  expect(first.reply.text()).not.toContain('dead')
  expect(first.headers['cache-control']).toBe('no-store')
  world.nowMs += 9000
  expect((await swapQuote(deps, query)).reply.text()).toBe(first.reply.text())
  expect(sent('quote')).toHaveLength(1)
  world.nowMs += 1000
  await swapQuote(deps, query)
  expect(sent('quote')).toHaveLength(2)
})

test('the same request at the same time is one call, and a second later a new one', async () => {
  const { deps, sent } = await swapFixture()
  await Promise.all([1, 2, 3].map(() => swapQuote(deps, queryOf(QUOTE_QUERY))))
  expect(sent('quote')).toHaveLength(1)
  await swapQuote(deps, queryOf(QUOTE_QUERY))
  expect(sent('quote')).toHaveLength(2)
})

describe('nothing is sent upstream', () => {
  test('for a request that is malformed', async () => {
    const { deps, server } = await swapFixture()
    const query = queryOf({ ...QUOTE_QUERY, slippageBps: '5000' })
    expect(await failureOf(swapQuote(deps, query))).toEqual({
      code: 'invalid_request',
      parameter: 'slippageBps',
      reason: 'out_of_range',
    })
    expect(server.requests).toEqual([])
  })

  test('but for the chains, when a chain is not among them', async () => {
    const { deps, sent } = await swapFixture()
    for (const toChain of ['5', '1151111081099710', '9270000000000000', '11155111']) {
      expect(await failureOf(swapQuote(deps, queryOf({ ...QUOTE_QUERY, toChain })))).toEqual({
        code: 'unsupported_chain',
        parameter: 'toChain',
        reason: 'unknown_chain',
      })
    }
    expect(sent('quote')).toEqual([])
    expect(sent('chains')).toHaveLength(1)
  })
})

test('without a provider there is no quote', async () => {
  const deps = swapDeps(swapWorld(), null)
  expect(await failureOf(swapQuote(deps, queryOf(QUOTE_QUERY)))).toEqual({ code: 'not_configured' })
})

const THIEF = `0x${'f'.repeat(40)}`
const HOSTILE: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
  ['wrong source chain', { 'transactionRequest.chainId': 1 }, 'chain'],
  ['wrong recipient', { 'action.toAddress': THIEF }, 'wallets'],
  ['wrong sender', { 'transactionRequest.from': THIEF }, 'sender'],
  ['drained guarantee', { 'estimate.toAmountMin': '1' }, 'toAmountMin'],
  [
    'greater amount',
    { 'action.fromAmount': '900000000', 'estimate.fromAmount': '900000000' },
    'fromAmount',
  ],
  ['coins on top', { 'transactionRequest.value': '0xde0b6b3a7640000' }, 'value'],
  ['another token', { 'action.toToken.address': THIEF }, 'toToken'],
  ['foreign router', { 'transactionRequest.to': THIEF }, 'router'],
  ['foreign spender', { 'estimate.approvalAddress': THIEF }, 'spender'],
  ['huge calldata', { 'transactionRequest.data': `0x${'ab'.repeat(65_537)}` }, 'calldata'],
  ['a bare token transfer', { 'transactionRequest.data': '0xa9059cbb' }, 'calldata'],
  ['nothing to sign', { transactionRequest: undefined }, 'transaction'],
]

describe('a hostile upstream gets nothing through', () => {
  test.each(HOSTILE)('%s', async (_, changes, check) => {
    const routers = ['0x1231deb6f5749ef6ce6943a275a1d3e7486f4eae']
    const { deps, world } = await swapFixture(
      { quote: { json: wireWith('quote', changes) } },
      { routers },
    )
    expect(await failureOf(swapQuote(deps, queryOf(QUOTE_QUERY)))).toEqual({
      code: 'upstream_unavailable',
    })
    expect(world.lines).toEqual([
      { level: 'error', event: 'swap.quote_refused', fields: { check, chain: 42161 } },
    ])
  })

  test('a quote that takes a hundred dollars and promises three', async () => {
    const drained = {
      'estimate.toAmount': '1000000000000000',
      'estimate.toAmountMin': '1000000000000000',
    }
    const { deps } = await swapFixture({ quote: { json: wireWith('quote', drained) } })
    expect(await failureOf(swapQuote(deps, queryOf(QUOTE_QUERY)))).toEqual({
      code: 'no_route',
      reason: 'price_impact',
    })
  })
})
