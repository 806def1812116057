import { describe, expect, test } from 'bun:test'
import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import {
  ConfigAnswer,
  DepositChainsAnswer,
  FundingAnswer,
  LiquidationsAnswer,
  MarketRulesAnswer,
  MarketsAnswer,
  OrderbookAnswer,
  TokensAnswer,
  TradesAnswer,
} from '../../../src/contract/market.ts'
import { createMeter } from '../../../src/core/observing/meter.ts'
import { liquidations, trades } from '../../../src/gateway/market/activity.ts'
import { config } from '../../../src/gateway/market/config.ts'
import { depositChains, tokens } from '../../../src/gateway/market/funds.ts'
import { funding, marketRules, markets } from '../../../src/gateway/market/markets.ts'
import { orderbook } from '../../../src/gateway/market/orderbook.ts'
import { isShared } from '../../../src/gateway/market/rows.ts'
import routes from '../../vectors/upstream/routes.json'
import { answerOf } from './answered.ts'

type Verb = Parameters<typeof answerOf>[0]

type Case = {
  readonly route: string
  readonly verb: Verb
  readonly schema: TSchema
  readonly data: object
  /** The lists of the answer whose rows may go. */
  readonly list: string
}

const ETH = 'symbol=PERP_ETH_USDC'
const token = routes.token.data
const CASES: readonly Case[] = [
  {
    route: 'markets',
    verb: markets,
    schema: MarketsAnswer,
    data: routes.futures.data,
    list: 'markets',
  },
  {
    route: 'marketRules',
    verb: marketRules,
    schema: MarketRulesAnswer,
    data: routes.info.data,
    list: 'rules',
  },
  { route: 'trades', verb: trades, schema: TradesAnswer, data: routes.trades.data, list: 'trades' },
  { route: 'tokens', verb: tokens, schema: TokensAnswer, data: token, list: 'rows' },
  // One answer serves both reads of the route.
  {
    route: 'depositChains',
    verb: depositChains,
    schema: DepositChainsAnswer,
    data: withTokens(),
    list: 'rows',
  },
  {
    route: 'liquidations',
    verb: liquidations,
    schema: LiquidationsAnswer,
    data: routes.liquidations.data,
    list: 'rows',
  },
]

function withTokens() {
  const usdc = token.rows.find((row) => row.token === 'USDC')
  return { rows: [...routes.chains.data.rows.slice(0, 2), usdc] }
}

async function answered(verb: Verb, data: unknown) {
  const meter = createMeter(() => 0)
  const text = await answerOf(verb, ETH, JSON.stringify(data), meter)
  const [sample] = meter.samples('prepd_venue_rows_dropped_total')
  return { text, body: JSON.parse(text), dropped: sample?.value ?? 0, labels: sample?.labels }
}

/** A value with every number at any depth written as text. */
function inText(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, each) =>
    typeof each === 'number' ? String(each) : each,
  )
}

describe.each([...CASES])('$route', ({ route, verb, schema, data, list }) => {
  test('has the same numbers when the venue writes them as text', async () => {
    const plain = await answered(verb, data)
    expect([...Value.Errors(schema, plain.body)]).toEqual([])
    expect(plain.body[list].length).toBeGreaterThan(0)
    if (route === 'liquidations') return
    const spelled = await answered(verb, inText(data))
    expect(spelled.body).toEqual(plain.body)
    expect(spelled.dropped).toBe(plain.dropped)
  })

  test.each([null, 'Acme Exchange', [1], 7].map((stranger) => ({ stranger })))(
    'leaves out and counts what is no row: $stranger',
    async ({ stranger }) => {
      const plain = await answered(verb, data)
      const rows = [stranger, ...Object(data).rows]
      const mixed = await answered(verb, { ...data, rows })
      expect(mixed.body).toEqual(plain.body)
      expect(mixed.dropped).toBe(plain.dropped + 1)
      expect(mixed.labels).toEqual([route])
    },
  )

  test.each([{ rows: null }, { rows: 'none' }, { rows: [7] }, {}])(
    'is a failure that is not cached when the venue has no list or no usable row: %p',
    async (payload) => {
      if (route === 'liquidations' && Object(payload).rows?.[0] === 7) return
      // Where the venue has no trades, the market is looked for in its list, which is empty here.
      const isUnlisted = route === 'trades' && Object(payload).rows?.[0] !== 7
      expect(answerOf(verb, ETH, JSON.stringify(payload))).rejects.toMatchObject({
        code: isUnlisted ? 'not_found' : 'upstream_unavailable',
      })
    },
  )
})

describe('one wrong value leaves its row out, and no other', () => {
  const [first, ...others] = routes.info.data.rows.filter(isShared)
  test.each(
    [null, 'much', '', [[0.1]], {}, true, 0, -0.1, 1.5, 'NaN', '0x1'].map((rate) => ({ rate })),
  )('an initial margin rate of $rate', async ({ rate: base_imr }) => {
    const rows = [{ ...first, base_imr }, ...others]
    const { body, dropped } = await answered(marketRules, { rows })
    expect(body.rules.map(({ symbol }: { symbol: string }) => symbol)).toEqual(
      others.map(({ symbol }) => symbol),
    )
    expect(dropped).toBe(1)
  })

  test.each([
    [0.01, 100],
    ['0.02', 50],
    [0.15, 7],
    [1, 1],
  ])('an initial margin rate of %p allows a leverage of %p', async (base_imr, leverage) => {
    const { body } = await answered(marketRules, { rows: [{ ...first, base_imr }] })
    expect(body.rules[0].maxLeverage).toBe(leverage)
  })

  test('a chain of a token whose fee is no number', async () => {
    const [row] = token.rows
    const [chain] = row?.chain_details ?? []
    const chain_details = [{ ...chain, withdraw_fee: 'free' }, chain]
    const { body, dropped } = await answered(tokens, { rows: [{ ...row, chain_details }] })
    expect(body.rows[0].chain_details).toHaveLength(1)
    expect(dropped).toBe(1)
  })

  test('a level of a book that is no amount', async () => {
    const asks = [
      { price: 'x', quantity: '1' },
      { price: '2', quantity: 3 },
    ]
    const { body, dropped } = await answered(orderbook, { ...routes.orderbook.data, asks })
    expect(body.asks).toEqual([{ price: '2', quantity: '3' }])
    expect([...Value.Errors(OrderbookAnswer, body)]).toEqual([])
    expect(dropped).toBe(1)
  })

  test('a market without a mark price', async () => {
    const [market, ...rest] = routes.futures.data.rows
    for (const mark_price of [undefined, null, 'none']) {
      const { body, dropped } = await answered(markets, {
        rows: [{ ...market, mark_price }, ...rest],
      })
      expect(JSON.stringify(body)).not.toContain(String(market?.symbol))
      expect(dropped).toBe(1)
    }
  })
})

test('a market whose day is not known has zeros, and no change', async () => {
  const [market] = routes.futures.data.rows
  for (const unknown of [null, undefined]) {
    const row = { ...market, '24h_open': unknown, '24h_low': unknown, '24h_amount': unknown }
    const { body } = await answered(markets, { rows: [row] })
    expect(body.markets).toEqual([
      expect.objectContaining({ '24h_open': 0, '24h_low': 0, '24h_amount': 0, change24hPct: 0 }),
    ])
    const closed = await answered(markets, { rows: [{ ...market, '24h_close': unknown }] })
    expect(closed.body.markets[0]).toMatchObject({ '24h_close': 0, change24hPct: 0 })
  }
})

test('all digits of a text are kept', async () => {
  const [market] = routes.futures.data.rows
  const digits = '12345678901234567890.12345'
  const { text } = await answered(markets, { rows: [{ ...market, open_interest: digits }] })
  expect(text).toContain(`"open_interest":${digits},`)
})

test('funding is typed, and a failure where a value is missing or none', async () => {
  const { body } = await answered(funding, inText(routes.funding.data))
  expect([...Value.Errors(FundingAnswer, body)]).toEqual([])
  expect(body).toEqual((await answered(funding, routes.funding.data)).body)
  for (const change of [{ est_funding_rate: null }, { next_funding_time: 'soon' }, { symbol: [] }])
    expect(
      answerOf(funding, ETH, JSON.stringify({ ...routes.funding.data, ...change })),
    ).rejects.toMatchObject({ code: 'upstream_unavailable' })
})

describe('leverage steps', () => {
  test.each([
    { list: '1,2, 3 ,100', steps: [1, 2, 3, 100] },
    { list: [1, 2, 5], steps: [1, 2, 5] },
    { list: ['10', '5', 1.5], steps: [1.5, 5, 10] },
    { list: '5,x,0,-1,Infinity,10', steps: [5, 10] },
  ])('of $list are $steps', async ({ list: available_futures_leverage, steps }) => {
    const { body } = await answered(config, { available_futures_leverage })
    expect(body).toEqual({ leverageSteps: steps })
    expect([...Value.Errors(ConfigAnswer, body)]).toEqual([])
  })

  test.each(['', 'none', [], [null], null, {}, 7].map((list) => ({ list })))(
    'of $list are a failure that is not cached',
    ({ list: available_futures_leverage }) => {
      expect(
        answerOf(config, ETH, JSON.stringify({ available_futures_leverage })),
      ).rejects.toMatchObject({ code: 'upstream_unavailable' })
    },
  )
})

test('a value that the venue does not send is left out of its row', async () => {
  const rows = [{ symbol: 'PERP_ETH_USDC', base_imr: '0.1', quote_tick: '0.01' }]
  const { body } = await answered(marketRules, { rows })
  const info = {
    symbol: 'PERP_ETH_USDC',
    display_symbol_name: 'ETH',
    quote_tick: 0.01,
    base_imr: 0.1,
  }
  expect(body).toEqual({ rules: [{ symbol: 'PERP_ETH_USDC', maxLeverage: 10, info }] })
})
