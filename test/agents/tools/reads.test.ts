import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { encode } from 'gpt-tokenizer'
import { OPERATIONS } from '../../../src/contract/operations.ts'
import { openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
const RESULT_MAX_BYTES = 60_000
const MARKETS_MAX_TOKENS = 4000

let world: ToolWorld

beforeAll(async () => {
  world = await openEmbeddedWorld({ VENUE_MARKETS: 'all' })
})
afterAll(() => world.stop())

test('list_markets costs at most 4,000 tokens as it is called first', async () => {
  const result = await world.call('list_markets')
  expect(result).toMatchObject({ shown: 20, more: expect.any(String) })
  expect(result.total).toBeGreaterThan(20)
  expect(encode(JSON.stringify(result)).length).toBeLessThanOrEqual(MARKETS_MAX_TOKENS)
})

test.each([
  ['list_markets', {}],
  ['get_candles', { symbol: ETH }],
  ['get_candles', { symbol: ETH, interval: '1m' }],
  ['list_market_trades', { symbol: ETH }],
  ['get_orderbook', { symbol: ETH }],
])('%s %j answers less than a thousand tokens and says how much there is', async (name, args) => {
  const result = await world.call(name, args)
  expect(encode(JSON.stringify(result)).length).toBeLessThan(1000)
  expect(result.total ?? result.levels).toBeDefined()
})

test('the fields of a row are chosen, and one that no row has is refused with those there are', async () => {
  const [market] = (await world.call('list_markets', { fields: 'symbol, index_price' })).markets
  expect(Object.keys(market)).toEqual(['symbol', 'index_price'])
  const [whole] = (await world.call('list_markets', { fields: 'all' })).markets
  expect(whole).toMatchObject({ base: expect.any(String), '24h_low': expect.any(Number) })
  const closes = await world.call('get_candles', { symbol: ETH, fields: 'timestamp,close' })
  expect([closes.columns, closes.rows[0].length]).toEqual([['timestamp', 'close'], 2])
  for (const name of ['list_markets', 'get_candles']) {
    const market = name === 'get_candles' ? { symbol: ETH } : {}
    const failure = await world.refused(name, { ...market, fields: 'clos' })
    expect(failure).toMatchObject({ code: 'invalid_request', meta: { parameter: 'fields' } })
  }
})

describe('list_markets', () => {
  test.each([
    ['volume', '24h_amount'],
    ['change', 'change24hPct'],
    ['funding', 'est_funding_rate_8h'],
  ])('sorts by %s, highest first', async (sort, field) => {
    const { markets } = await world.call('list_markets', { sort, limit: 200 })
    const values = markets.map((row: Record<string, number>) => row[field])
    expect(values).toEqual(values.toSorted((a: number, b: number) => b - a))
    // Markets of different periods may have the same rate per eight hours.
    expect(new Set(values).size).toBeGreaterThan(sort === 'funding' ? 0 : 1)
  })

  test.each([
    ['eth', ETH],
    ['ETH-PERP', ETH],
    ['bitcoin', 'PERP_BTC_USDC'],
  ])('finds %s', async (search, symbol) => {
    const { markets } = await world.call('list_markets', { search })
    expect(markets).toContainEqual(expect.objectContaining({ symbol }))
  })

  test('says what is near when nothing is found', async () => {
    expect(await world.call('list_markets', { search: 'ETHH' })).toMatchObject({
      markets: [],
      shown: 0,
      near: [ETH],
    })
  })
})

describe('a read takes the name of a market as people write it, and answers the symbol', () => {
  test.each(['get_market', 'get_orderbook', 'get_funding', 'get_leverage'])('%s', async (name) => {
    expect(await world.call(name, { symbol: 'eth/usdc' })).toMatchObject({ symbol: ETH })
    const failure = await world.refused(name, { symbol: 'ETHH' })
    expect(failure).toMatchObject({ code: 'not_found', meta: { suggestion: ETH } })
  })

  test.each(['get_orderbook', 'get_candles', 'list_market_trades', 'get_funding'])(
    '%s suggests one for a symbol that only looks right',
    async (name) => {
      const failure = await world.refused(name, { symbol: 'PERP_ETHH_USDC' })
      expect(failure).toMatchObject({
        code: 'not_found',
        retryable: false,
        meta: { suggestion: ETH },
      })
    },
  )
})

test('depth and limit cut what is shown, and levels says what there was', async () => {
  const book = await world.call('get_orderbook', { symbol: ETH, depth: 3 })
  expect([book.asks.length, book.bids.length]).toEqual([3, 3])
  expect(book.levels.asks).toBeGreaterThan(3)
  expect((await world.call('get_candles', { symbol: ETH, limit: 5 })).rows.length).toBe(5)
  expect((await world.call('get_leaderboard', { sort: 'notional', limit: 5 })).rows.length).toBe(5)
})

describe('no result is longer than 60 kB, whatever is asked for', () => {
  const most: Readonly<Record<string, object>> = {
    list_markets: { limit: 200 },
    get_orderbook: { symbol: ETH, depth: 100 },
    get_candles: { symbol: ETH, limit: 500, interval: '1h' },
    list_market_trades: { symbol: ETH, limit: 200 },
    list_liquidations: { size: 100 },
    get_insurance_fund: {},
    get_leaderboard: { limit: 200 },
    list_tokens: {},
    list_deposit_chains: {},
    list_operations: {},
  }
  test.each(Object.entries(most))('%s', async (name, args) => {
    const bytes = Buffer.byteLength(JSON.stringify(await world.call(name, args)))
    expect(bytes).toBeLessThanOrEqual(RESULT_MAX_BYTES)
    expect(bytes).toBeGreaterThan(100)
  })

  test('candles that do not fit lose the oldest', async () => {
    const { rows, truncated, total } = await world.call('get_candles', { symbol: ETH, limit: 500 })
    const newest = await world.call('get_candles', { symbol: ETH, limit: 1 })
    expect(rows.at(-1)).toEqual(newest.rows[0])
    expect(truncated === true).toBe(rows.length < total)
  })

  // Slow: dozens of long answers are read, one after another.
  test('every catalogued read that needs no parameters', async () => {
    const ids = Object.entries(OPERATIONS).filter(([, { parameters, inject = [] }]) =>
      parameters.every(({ required, name }) => !required || inject.some((own) => own === name)),
    )
    let answered = 0
    for (const [id] of ids) {
      const result = await world.call('read_operation', { id, limit: 500 }).catch(() => null)
      if (result === null) continue
      answered += 1
      expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(RESULT_MAX_BYTES)
    }
    expect(answered).toBeGreaterThan(10)
  })
})

describe('catalogued reads', () => {
  test('are found by words and run by id', async () => {
    const { operations } = await world.call('list_operations', { search: 'funding history' })
    expect(operations[0]).toMatchObject({ id: 'funding.history', required: ['symbol'] })
    const args = { id: 'funding.history', parameters: { symbol: ETH, size: 5 }, limit: 2 }
    const result = await world.call('read_operation', args)
    expect(result).toMatchObject({ id: 'funding.history', truncated: true })
    expect(result.result.rows.length).toBe(2)
  })

  test('by strangers are marked', async () => {
    expect(await world.call('read_operation', { id: 'platform.announcements' })).toMatchObject({
      untrusted_text: true,
    })
  })

  test('an unknown id and a missing parameter are told', async () => {
    const unknown = await world.refused('read_operation', { id: 'funding.histroy' })
    expect(unknown).toMatchObject({ code: 'not_found', meta: { suggestion: 'funding.history' } })
    const missing = await world.refused('read_operation', { id: 'funding.history' })
    expect(missing.meta).toMatchObject({ parameter: 'symbol', next: 'parameters needs: symbol.' })
  })
})

test('the swap tools speak to the routes as they are', async () => {
  const asked = {
    from_chain: 'arbitrum',
    from_token: 'usdc',
    to_chain: 'base',
    to_token: 'ETH',
    amount: '25.5',
  }
  const quote = await world.call('get_swap_quote', asked)
  expect(quote).toMatchObject({ from: { amount: '25.5' }, to: { token: { symbol: 'ETH' } } })
  expect(Number(quote.to.amount)).toBeGreaterThan(Number(quote.to.amount_min))
  const unknown = await world.call('get_swap_status', { tx_hash: `0x${'a1'.repeat(32)}` })
  expect(unknown).toMatchObject({ status: 'NOT_FOUND', final: false })
  expect((await world.refused('get_swap_status', { tx_hash: '0x12' })).code).toBe('invalid_request')
})

describe('read_account_path', () => {
  test('reads what no other tool does', async () => {
    const { result } = await world.call('read_account_path', { path: '/v1/client/key_info' })
    expect(result.rows).toMatchObject([{ key_status: 'ACTIVE' }])
  })

  test.each([
    '/v1/withdraw_nonce',
    '/v1/settle_nonce',
    '/v1/order',
    '/v1/client/../order',
    '/v1/unknown',
    'https://elsewhere/v1/positions',
    '/v1/positions#x',
  ])('%s is forbidden before anything is signed', async (path) => {
    const from = world.sent.length
    const failure = await world.refused('read_account_path', { path })
    expect(failure.code).toBe('forbidden')
    expect(failure.meta.allowed).toContain('/v1/positions')
    expect(world.sent.slice(from)).toEqual([])
  })
})
