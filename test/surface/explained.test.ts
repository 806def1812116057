import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openEmbeddedWorld, type ToolWorld } from '../agents/tool-world.ts'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { asked, CANDLES, OFF_TICK, RELAY, SYMBOL } from './asked.ts'
import { newUser } from './wallets.ts'

let world: ToolWorld
beforeAll(async () => {
  world = await openEmbeddedWorld()
})
afterAll(() => world.stop())

describe('a failure explains', () => {
  test('everything that is wrong with a body at once, in the order of its fields', async () => {
    const { auth } = envelope(newCaller(), { method: 'GET', path: '/v1/positions' })
    const nonsense = { method: 'PATCH', path: '/', auth: { ...auth, key: '' } }
    const { code, meta } = await asked(world, RELAY, jsonPost(nonsense))
    const faults = [
      { parameter: 'method', reason: 'malformed', expected: 'One of GET, POST, PUT, DELETE.' },
      { parameter: 'path', reason: 'too_short', expected: expect.any(String) },
      { parameter: 'auth.key', reason: 'too_short', expected: expect.any(String) },
    ]
    expect({ code, meta }).toEqual({ code: 'invalid_request', meta: { ...faults[0], faults } })
  })

  test('everything that is wrong with a query at once, and what was meant', async () => {
    const { code, meta } = await asked(world, `${CANDLES}?symbol=ETH&interval=1H&limit=7`)
    const faults = [
      { parameter: 'symbol', reason: 'malformed', expected: expect.stringContaining(SYMBOL) },
      {
        parameter: 'interval',
        reason: 'malformed',
        expected: 'One of 1m, 5m, 15m, 30m, 1h, 4h, 12h, 1d, 1w.',
        suggestion: '1h',
      },
    ]
    expect({ code, meta }).toEqual({ code: 'invalid_request', meta: { ...faults[0], faults } })
  })

  test('all that is missing of an operation, and nothing that is there', async () => {
    const { meta } = await asked(
      world,
      '/api/prep/op/charts.klineHistory?symbol=PERP_ETH_USDC&to=1',
    )
    expect(meta).toMatchObject({
      parameter: 'resolution',
      reason: 'missing',
      faults: [{ parameter: 'resolution' }, { parameter: 'from' }],
    })
  })

  test.each([
    ['charts.history', 'resolution=1h', 'resolution'],
    ['charts.history', 'resolution=60&from=yesterday', 'from'],
    ['charts.klineHistory', 'resolution=60&from=0&to=1', 'resolution'],
  ])('what the venue refuses of %s by its own table: %s', async (id, query, parameter) => {
    const { code, meta } = await asked(world, `/api/prep/op/${id}?symbol=${SYMBOL}&${query}`)
    expect({ code, meta }).toEqual({
      code: 'invalid_request',
      meta: { parameter, reason: 'malformed', expected: expect.any(String) },
    })
  })

  test('an address that is none by what it should have been, under its own code', async () => {
    const { code, meta } = await asked(world, '/api/prep/points?address=0x1')
    expect({ code, meta }).toEqual({
      code: 'invalid_address',
      meta: { parameter: 'address', reason: 'malformed', expected: expect.any(String) },
    })
  })

  test('one thing that is wrong without a list', async () => {
    const { meta } = await asked(world, CANDLES)
    expect(meta).toEqual({ parameter: 'symbol', reason: 'missing', expected: expect.any(String) })
  })

  test.each([
    ['/api/prep/market', 'unknown_route', '/api/prep/markets'],
    ['/api/prep/op/markets.lst', 'unknown_operation', 'markets.list'],
    [`${CANDLES}?symbol=PERP_ETHH_USDC`, 'unknown_market', SYMBOL],
    ['/xyzzy', 'unknown_route', undefined],
  ])('what %s was meant to be', async (path, reason, suggestion) => {
    const { code, meta } = await asked(world, path)
    expect(code).toBe('not_found')
    expect([meta['reason'], meta['suggestion']]).toEqual([reason, suggestion])
  })

  const RULES = [
    ['a price off its tick', { order_price: OFF_TICK }, 'order_price', 'not_a_multiple'],
    ['a price beyond its bounds', { order_price: 1_000_000 }, 'order_price', 'out_of_range'],
    ['a size off its step', { order_quantity: 1.123456789 }, 'order_quantity', 'not_a_multiple'],
    ['a value too small', { order_quantity: 0.001 }, 'order_quantity', 'out_of_range'],
  ] as const

  test.each(RULES)('%s as the tool does, with the market’s figures', async (_, change, ...why) => {
    const order = { symbol: SYMBOL, side: 'BUY', order_type: 'LIMIT', order_price: 2500 }
    const args = { ...order, order_quantity: 1, ...change }
    const body = JSON.stringify(args)
    const signed = envelope(await newUser(world), { method: 'POST', path: '/v1/order', body })
    const expected = await asked(world, RELAY, jsonPost(signed))
    const [parameter, reason] = why
    expect(expected.meta).toMatchObject({ parameter, reason })
    const { rules } = Object(await asked(world, '/api/prep/market-rules'))
    const { info } = rules.find(({ symbol }: { symbol: string }) => symbol === SYMBOL)
    const names = parameter === 'order_price' ? 'quote' : 'base'
    expect(expected.meta).toMatchObject({
      tick: info[`${names}_tick`],
      min: info[`${names}_min`],
      max: info[`${names}_max`],
      ...(expected.code === 'notional_too_small' && { minNotional: info.min_notional }),
    })
    const { code, meta } = await world.refused('place_order', args)
    expect([code, meta['parameter'], meta['reason']]).toEqual([expected.code, parameter, reason])
  })
})
