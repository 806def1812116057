import { afterEach, describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { SwapChainsAnswer, SwapTokensAnswer } from '../../../src/contract/swap-answers.ts'
import { swapChains, swapTokens } from '../../../src/gateway/swap/lists.ts'
import {
  failureOf,
  queryOf,
  stopSwapUpstreams,
  swapDeps,
  swapFixture,
  swapWorld,
} from './fixture.ts'

afterEach(stopSwapUpstreams)

test('chains keep their names, explorers and coins, and nothing that marks the upstream', async () => {
  const { deps } = await swapFixture()
  const answer = await swapChains(deps)
  const list: SwapChainsAnswer = JSON.parse(answer.reply.text())
  expect([...Value.Errors(SwapChainsAnswer, list)]).toEqual([])
  expect(list.rows.map(({ name }) => name)).toEqual(['Ethereum', 'Polygon', 'Arbitrum', 'Base'])
  expect(list.rows[0]).toEqual({
    chainId: 1,
    name: 'Ethereum',
    type: 'EVM',
    nativeSymbol: 'ETH',
    nativeDecimals: 18,
    nativeAddress: `0x${'0'.repeat(40)}`,
    explorer: 'https://etherscan.io',
    logo: '',
  })
  expect(answer.reply.text()).not.toMatch(/lifi|1231DEB6|89c6340B|rpc/i)
  expect(answer.headers['cache-control']).toBe('public, max-age=3600, stale-if-error=86400')
})

test('tokens keep symbols that are also venues, and lose such names, the native coin first', async () => {
  const { deps } = await swapFixture()
  const answer = await swapTokens(deps, queryOf({ chainId: '1' }))
  const list: SwapTokensAnswer = JSON.parse(answer.reply.text())
  expect([...Value.Errors(SwapTokensAnswer, list)]).toEqual([])
  expect(list.rows.map(({ symbol, name }) => `${symbol} ${name}`)).toEqual([
    'ETH ETH',
    'USDC USD Coin',
    '1INCH ',
    'SUSHI ',
    'STG ',
    'CRV ',
  ])
  expect(list.total).toBe(6)
  expect(list.rows[5]?.priceUsd).toBeNull()
  expect(list.rows[1]?.logo).toStartWith('https://static.debank.com/')
  expect(list.rows[0]?.logo).toBe('')
  expect(answer.headers['cache-control']).toBe('public, max-age=3600, stale-if-error=86400')
})

describe('a search', () => {
  test.each([
    ['us', ['USDC', 'SUSHI']],
    ['USD COIN', ['USDC']],
    ['0xA0B86991C6218B36C1D19D4A2E9EB0CE3606EB48', ['USDC']],
    ['0xa0b8', []],
    ['.*', []],
  ])('%p finds %j in one list, asked for once', async (search, symbols) => {
    const { deps, sent } = await swapFixture()
    for (const limit of ['500', '1', '0', 'x']) {
      const answer = await swapTokens(deps, queryOf({ chainId: '1', search, limit }))
      const { rows, total }: SwapTokensAnswer = JSON.parse(answer.reply.text())
      expect(total).toBe(symbols.length)
      const wanted = limit === '1' || limit === '0' ? symbols.slice(0, 1) : symbols
      expect(rows.map(({ symbol }) => symbol)).toEqual(wanted)
    }
    expect(sent('tokens')).toHaveLength(1)
  })
})

test.each([
  [{}, { code: 'invalid_request', parameter: 'chainId', reason: 'missing' }],
  [{ chainId: 'eth' }, { code: 'invalid_request', parameter: 'chainId', reason: 'malformed' }],
  [{ chainId: '10' }, { code: 'unsupported_chain', parameter: 'chainId', reason: 'unknown_chain' }],
  [
    { chainId: '1', search: 'x'.repeat(65) },
    { code: 'invalid_request', parameter: 'search', reason: 'too_long' },
  ],
] as const)('%j is refused and no tokens are asked for', async (query, failure) => {
  const { deps, sent } = await swapFixture()
  expect(await failureOf(swapTokens(deps, queryOf(query)))).toEqual(failure)
  expect(sent('tokens')).toEqual([])
})

test('lists are kept for an hour, and bridge an outage', async () => {
  const { deps, sent, answers, world } = await swapFixture()
  await swapChains(deps)
  answers.chains = { status: 500, json: {} }
  world.nowMs += 3_599_000
  await swapChains(deps)
  expect(sent('chains')).toHaveLength(1)
  world.nowMs += 10 * 3_600_000
  expect(JSON.parse((await swapChains(deps)).reply.text()).rows).toHaveLength(4)
})

test('without a provider there are no lists', async () => {
  const deps = swapDeps(swapWorld(), null)
  expect(await failureOf(swapChains(deps))).toEqual({ code: 'not_configured' })
  expect(await failureOf(swapTokens(deps, queryOf({ chainId: '1' })))).toEqual({
    code: 'not_configured',
  })
})
