import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openEmbeddedWorld, type ToolWorld } from '../../agents/tool-world.ts'
import { envelope, jsonPost, type TestCaller } from '../../caller.ts'
import { type AnswerSpec, startRecordingUpstream } from '../../recording-upstream.ts'
import { asked, RELAY, SYMBOL } from '../../surface/asked.ts'
import { newUser } from '../../surface/wallets.ts'
import { openTarget } from '../../target.ts'

let world: ToolWorld
let user: TestCaller
beforeAll(async () => {
  world = await openEmbeddedWorld()
  user = await newUser(world)
})
afterAll(() => world.stop())

async function refused(path: string, body: object | string, method: 'POST' | 'PUT' = 'POST') {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return asked(world, RELAY, jsonPost(envelope(user, { method, path, body: text })))
}

const PATH = '/v1/order'
const ORDER = { symbol: SYMBOL, side: 'BUY', order_type: 'LIMIT', order_price: 2500 } as const
const SIZED = { ...ORDER, order_quantity: 1 }

describe('a price too far from the mark price is refused with the mark price and the bounds around it', () => {
  async function bounds(side: 'BUY' | 'SELL') {
    const { markets } = Object(await asked(world, '/api/prep/markets'))
    const { rules } = Object(await asked(world, '/api/prep/market-rules'))
    const { mark_price } = markets.find(({ symbol }: { symbol: string }) => symbol === SYMBOL)
    const { info } = rules.find(({ symbol }: { symbol: string }) => symbol === SYMBOL)
    const [below, above] =
      side === 'BUY' ? [info.price_scope, info.price_range] : [info.price_range, info.price_scope]
    return { mark: mark_price, min: mark_price * (1 - below), max: mark_price * (1 + above) }
  }

  test.each([
    ['BUY', 100],
    ['BUY', 9000],
    ['SELL', 100],
    ['SELL', 9000],
  ] as const)('%s at %d', async (side, order_price) => {
    const { code, meta } = await refused('/v1/order', { ...SIZED, side, order_price })
    expect([code, meta['parameter'], meta['reason']]).toEqual([
      'price_out_of_range',
      'order_price',
      'price_range',
    ])
    const now = await bounds(side)
    expect(Math.abs(Number(meta['mark']) / now.mark - 1)).toBeLessThan(0.01)
    expect(Math.abs(Number(meta['min']) / now.min - 1)).toBeLessThan(0.01)
    expect(Math.abs(Number(meta['max']) / now.max - 1)).toBeLessThan(0.01)
    expect(order_price < Number(meta['min']) || order_price > Number(meta['max'])).toBe(true)
  })

  test('a price at a bound that was named is taken', async () => {
    const { meta } = await refused('/v1/order', { ...SIZED, order_price: 100 })
    const next = { ...SIZED, order_price: Number((Number(meta['min']) * 1.01).toFixed(2)) }
    expect(await refused('/v1/order', next)).toMatchObject({ order_id: expect.any(Number) })
  })

  test('a price beyond the published bounds keeps these', async () => {
    const { meta } = await refused('/v1/order', { ...SIZED, order_price: 1_000_000 })
    expect(meta).toMatchObject({ reason: 'out_of_range', min: 0, max: 100_000 })
    expect(meta).not.toHaveProperty('mark')
  })
})

const MALFORMED: readonly [string, string, object, string, string][] = [
  ['no type', '/v1/order', { ...SIZED, order_type: undefined }, 'order_type', 'missing'],
  ['an unknown type', '/v1/order', { ...SIZED, order_type: 'STOP' }, 'order_type', 'malformed'],
  ['no price', '/v1/order', { ...SIZED, order_price: undefined }, 'order_price', 'missing'],
  ['a price of null', '/v1/order', { ...SIZED, order_price: null }, 'order_price', 'missing'],
  ['a price of 0', '/v1/order', { ...SIZED, order_price: 0 }, 'order_price', 'out_of_range'],
  ['no size', '/v1/order', ORDER, 'order_quantity', 'missing'],
  [
    'a blank in its id',
    '/v1/order',
    { ...SIZED, client_order_id: 'a b' },
    'client_order_id',
    'malformed',
  ],
  [
    'a long id',
    '/v1/order',
    { ...SIZED, client_order_id: 'a'.repeat(37) },
    'client_order_id',
    'too_long',
  ],
  ['a level of a limit', '/v1/order', { ...SIZED, level: 1 }, 'level', 'conflicting'],
  ['an unknown mode', '/v1/order', { ...SIZED, margin_mode: 'BOTH' }, 'margin_mode', 'malformed'],
  [
    'a misspelt member',
    '/v1/order',
    { ...SIZED, reduceOnly: true },
    'reduceOnly',
    'unknown_argument',
  ],
  [
    'a stop with no trigger',
    '/v1/algo/order',
    { symbol: SYMBOL, algo_type: 'STOP', side: 'BUY', type: 'MARKET', quantity: 1 },
    'trigger_price',
    'missing',
  ],
  [
    'a leg with no type',
    '/v1/algo/order',
    {
      symbol: SYMBOL,
      algo_type: 'TP_SL',
      quantity: 1,
      child_orders: [{ algo_type: 'STOP_LOSS', side: 'SELL', trigger_price: 2000 }],
    },
    'child_orders.0.type',
    'missing',
  ],
  ['no leverage', '/v1/client/leverages', { symbol: SYMBOL }, 'leverage', 'missing'],
]

describe('a malformed write names the parameter by the table of its body', () => {
  test.each(MALFORMED)('%s', async (_, path, body, parameter, reason) => {
    const { code, meta } = await refused(path, body)
    expect({ code, parameter: meta['parameter'], reason: meta['reason'] }).toEqual({
      code: 'invalid_request',
      parameter,
      reason,
    })
  })

  test('all its faults at once', async () => {
    const { meta } = await refused('/v1/order', { symbol: SYMBOL, order_type: 'LIMIT' })
    expect(Object(meta['faults']).map(({ parameter }: { parameter: string }) => parameter)).toEqual(
      ['side', 'order_price', 'order_quantity'],
    )
  })

  test('a body that is no object is named as the body', async () => {
    for (const body of ['[]', '{', '"x"', '['.repeat(5000)])
      expect((await refused('/v1/order', body)).meta['parameter']).toBe('body')
  })

  test('a member whose name may be a secret is not repeated', async () => {
    const secret = 'a1'.repeat(32)
    const { meta } = await refused('/v1/order', { ...SIZED, [secret]: 1 })
    expect(JSON.stringify(meta)).not.toContain(secret)
  })

  test('a market that is not listed is named, with a similar one that is not suggested', async () => {
    const { code, meta } = await refused('/v1/order', { ...SIZED, symbol: 'PERP_ETHH_USDC' })
    expect([code, meta['parameter']]).toEqual(['not_found', 'symbol'])
    expect(meta['next']).toStartWith(`${SYMBOL} has a similar name and is another market.`)
    expect(meta).not.toHaveProperty('suggestion')
  })
})

test('a live venue’s words are not repeated, whatever they are, and an order it takes is not read', async () => {
  let says: AnswerSpec = { json: { success: true, data: { order_id: 1 } } }
  const venue = await startRecordingUpstream(() => says)
  const target = await openTarget('in process', { VENUE: venue.url })
  const send = (path: string, body: string) =>
    asked(target, RELAY, jsonPost(envelope(user, { method: 'POST', path, body })))
  try {
    expect(await send(PATH, 'not json')).toEqual(Object({ order_id: 1 }))
    says = {
      status: 400,
      json: { success: false, code: -1005, message: 'slippage at api.orderly.org' },
    }
    const { meta } = await send(PATH, JSON.stringify({ ...SIZED, side: 'LONG' }))
    expect(meta).toEqual({ parameter: 'side', reason: 'malformed', expected: 'One of BUY, SELL.' })
    const batch = { orders: [SIZED, { ...SIZED, side: undefined }] }
    expect((await send('/v1/batch-order', JSON.stringify(batch))).meta).toMatchObject({
      parameter: 'orders.1.side',
      reason: 'missing',
    })
    const sound = await send(PATH, JSON.stringify(SIZED))
    expect(sound.meta).toEqual({ reason: 'malformed' })
  } finally {
    await target.stop()
    await venue.stop()
  }
})
