import { afterEach, describe, expect, test } from 'bun:test'
import type { SwapQuoteAnswer } from '../../../src/contract/swap-answers.ts'
import { swapQuote } from '../../../src/gateway/swap/quote.ts'
import {
  failureOf,
  QUOTE_QUERY,
  queryOf,
  stopSwapUpstreams,
  swapFixture,
  wireWith,
} from './fixture.ts'

afterEach(stopSwapUpstreams)

describe('what a token is, and what it is worth, is the kept list’s word', () => {
  /** A quote in which every token is called and priced otherwise, to make a bad price look like a good one. */
  const lying = (decimals: number) =>
    JSON.parse(
      JSON.stringify(wireWith('quote', {}))
        .replaceAll('"symbol":"ETH"', '"symbol":"WETH"')
        .replaceAll(/"name":"(ETH|USD Coin)"/g, '"name":"Stargate Coin"')
        .replaceAll('"priceUSD":"3166.21"', '"priceUSD":"9999999"')
        .replaceAll(/"(\w+)USD":"0.\d+"/g, '"$1USD":"0"')
        .replaceAll('"decimals":18', `"decimals":${decimals}`),
    )

  test.each([0, 6, 36])('whatever a quote says of it, such as %d decimals', async (decimals) => {
    const honest = await swapFixture()
    const liar = await swapFixture({ quote: { json: lying(decimals) } })
    const [truthful, lied] = await Promise.all(
      [honest, liar].map(async ({ deps }) => {
        const { reply } = await swapQuote(deps, queryOf(QUOTE_QUERY))
        const { id: _, ...rest } = JSON.parse(reply.text())
        return rest
      }),
    )
    expect(lied).toEqual(truthful)
    expect(truthful).toMatchObject({
      toToken: { symbol: 'ETH', name: 'ETH', decimals: 18, priceUsd: '3166.21' },
      fromAmountUsd: '100.00',
      toAmountUsd: '99.74',
      fees: [{ amountUsd: '0.25' }, { amountUsd: '0.13' }],
    })
  })

  test('so a return that only looks fair is refused', async () => {
    const cheap = {
      'estimate.toAmount': '3150000000000000',
      'estimate.toAmountMin': '3134250000000000',
    }
    const { deps } = await swapFixture({
      quote: { json: wireWith('quote', { ...cheap, 'action.toToken.priceUSD': '31662.1' }) },
    })
    expect(await failureOf(swapQuote(deps, queryOf(QUOTE_QUERY)))).toEqual({
      code: 'no_route',
      reason: 'price_impact',
    })
  })

  test('so a fee that only looks small takes no coins', async () => {
    const fee = { amount: String(10n ** 17n), amountUSD: '0.01' }
    const changes = Object.entries(fee).map(([key, value]) => [`estimate.feeCosts.1.${key}`, value])
    const { deps, world } = await swapFixture({
      quote: {
        json: wireWith('quote', {
          ...Object.fromEntries(changes),
          'transactionRequest.value': `0x${(10n ** 17n).toString(16)}`,
        }),
      },
    })
    expect(await failureOf(swapQuote(deps, queryOf(QUOTE_QUERY)))).toEqual({
      code: 'upstream_unavailable',
    })
    expect(world.lines).toContainEqual({
      level: 'error',
      event: 'swap.quote_refused',
      fields: { check: 'costs', chain: 42_161 },
    })
  })

  test.each(['fromToken', 'toToken'])(
    'so an unlisted %s is not quoted, and nobody is asked',
    async (name) => {
      const { deps, sent } = await swapFixture()
      const query = queryOf({ ...QUOTE_QUERY, [name]: `0x${'7'.repeat(40)}` })
      expect(await failureOf(swapQuote(deps, query))).toEqual({
        code: 'unsupported_token',
        parameter: name,
        reason: 'unknown_token',
      })
      expect(sent('quote')).toEqual([])
    },
  )

  test('so steps and fees in unlisted tokens say no more than they can', async () => {
    const stranger = `0x${'7'.repeat(40)}`
    const { deps } = await swapFixture({
      quote: {
        json: wireWith('quote', {
          'includedSteps.0.action.toToken.address': stranger,
          'estimate.feeCosts.0.token.address': stranger,
        }),
      },
    })
    const { reply } = await swapQuote(deps, queryOf(QUOTE_QUERY))
    const { steps, fees }: SwapQuoteAnswer = JSON.parse(reply.text())
    expect(steps.map(({ type }) => type)).toEqual(['bridge'])
    expect(fees[0]).toMatchObject({ token: null, amountUsd: null, amount: '250000' })
  })
})

test('a call that no router is known for is refused before it reaches a wallet', async () => {
  const json = wireWith('quote', { 'transactionRequest.data': '0xdeadbeef' })
  const { deps, world } = await swapFixture({ quote: { json } })
  const refused = await failureOf(swapQuote(deps, queryOf(QUOTE_QUERY)))
  expect(refused).toEqual({ code: 'upstream_unavailable' })
  expect(world.lines.map(({ fields }) => fields)).toContainEqual({ check: 'call', chain: 42_161 })
  const router = '0x1231deb6f5749ef6ce6943a275a1d3e7486f4eae'
  const named = await swapFixture({ quote: { json } }, { routers: [router] })
  const { reply } = await swapQuote(named.deps, queryOf(QUOTE_QUERY))
  expect(JSON.parse(reply.text()).transaction.data).toBe('0xdeadbeef')
})
