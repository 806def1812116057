import { nextRandom, type Rng, randomBetween } from '../../src/simulator/base/rng.ts'
import type { FieldsOf, RequestKind } from '../../src/simulator/engine/requests.ts'
import type { Answer, Trader, VenueFixture } from './fixture.ts'
import { BTC, ETH } from './past/small-feed.ts'
import { consentsOf } from './rest/money/consents.ts'

/** A random trader of a venue, and the market of the action. */
type Scene = {
  readonly fixture: VenueFixture
  readonly rng: Rng
  readonly trader: Trader
  /** What the trader's wallet is called. */
  readonly name: string
  readonly others: readonly Trader[]
  readonly symbol: string
  readonly mark: number
}

/** Something that is done: answers what the venue said, or null where it was not asked. */
export type Action = (scene: Scene) => Promise<Answer | null>

export const SYMBOLS = [BTC, ETH] as const
const SECOND_MS = 1000
const HOUR_MS = 3_600_000

export function pick<Each>(rng: Rng, of: readonly Each[]): Each {
  const found = of[Math.floor(nextRandom(rng) * of.length)]
  if (found === undefined) throw new RangeError('nothing to pick from')
  return found
}

const isLucky = (rng: Rng, share: number) => nextRandom(rng) < share
const cents = (price: number) => Math.round(price * 10) / 10
const near = ({ rng, mark }: Scene, reach = 0.015) =>
  cents(mark * (1 + randomBetween(rng, -reach, reach)))
const sizeOf = ({ rng, symbol }: Scene) =>
  Math.ceil(randomBetween(rng, 0, symbol === BTC ? 250 : 3500)) / 100
const sideOf = ({ rng }: Scene) => pick(rng, ['BUY', 'SELL'] as const)
const other = (side: 'BUY' | 'SELL') => (side === 'BUY' ? 'SELL' : 'BUY')
const usdc = ({ rng }: Scene, max: number) => Math.ceil(randomBetween(rng, 0, max))

/** A take profit and a stop loss that close on a side, on either side of the mark. */
function legsOf({ mark }: Scene, side: 'BUY' | 'SELL', type: 'MARKET' | 'CLOSE_POSITION') {
  const away = side === 'SELL' ? 0.01 : -0.01
  const leg = { side, type, reduce_only: true }
  return [
    { ...leg, algo_type: 'TAKE_PROFIT', trigger_price: cents(mark * (1 + away)) },
    { ...leg, algo_type: 'STOP_LOSS', trigger_price: cents(mark * (1 - away)) },
  ]
}

async function openOf({ trader, rng }: Scene, path: string) {
  const { rows } = (await trader.get(`${path}?status=INCOMPLETE`)).data
  return rows.length === 0 ? null : pick<Record<string, unknown>>(rng, rows)
}

const algo = ({ trader, symbol }: Scene, fields: object) =>
  trader.post('/v1/algo/order', { symbol, ...fields })

/** Moves the market maker's quotes and the index to a price. */
function moveTo({ fixture, symbol }: Scene, price: number): void {
  fixture.sleep(SECOND_MS)
  const at = (share: number) => cents(price * share)
  const bids = [[at(0.9995), 3] as const, [at(0.98), 50] as const]
  const asks = [[at(1.0005), 3] as const, [at(1.02), 50] as const]
  fixture.quote(symbol, { bids, asks })
  fixture.move(symbol, price)
}

/** Asks the engine, as the operator does. */
function ask<Kind extends RequestKind>(
  { fixture }: Scene,
  kind: Kind,
  fields: FieldsOf<Kind>,
): null {
  const { simulation, commit } = fixture.exchange()
  simulation().engine.submit(kind, fields, fixture.nowMs())
  commit()
  return null
}

/** What users, their wallets, prices and the operator do, by name. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  order: (scene) => {
    const { trader, rng, symbol } = scene
    const types = ['LIMIT', 'LIMIT', 'MARKET', 'IOC', 'FOK', 'POST_ONLY', 'ASK', 'BID'] as const
    const order_type = pick(rng, types)
    const isPriced = !['MARKET', 'ASK', 'BID'].includes(order_type)
    const order_quantity = sizeOf(scene)
    return trader.order({
      ...{ symbol, side: sideOf(scene), order_type, order_quantity },
      order_price: isPriced ? near(scene) : null,
      reduce_only: isLucky(rng, 0.2),
      ...(isLucky(rng, 0.1) && { visible_quantity: Math.ceil(order_quantity * 30) / 100 }),
      ...(isLucky(rng, 0.1) && { margin_mode: pick(rng, ['CROSS', 'ISOLATED']) }),
      ...(isLucky(rng, 0.2) && { order_tag: 'enum:demo:GRID_PRO' }),
    })
  },
  edit: async (scene) => {
    const order = await openOf(scene, '/v1/orders')
    if (!order) return null
    const { order_id, symbol, side, type: order_type, quantity } = order
    const order_quantity = Math.ceil(Number(quantity) * randomBetween(scene.rng, 50, 150)) / 100
    const fields = { order_id, symbol, side, order_type, order_quantity, order_price: near(scene) }
    return scene.trader.put('/v1/order', fields)
  },
  cancel: ({ trader, rng }) => trader.delete(pick(rng, ['/v1/orders', '/v1/algo/orders'])),
  'cancel later': ({ trader, rng }) =>
    trader.post('/v1/order/cancel_all_after', { trigger_after: pick(rng, [0, 5000, 60_000]) }),
  stop: (scene) => {
    const type = pick(scene.rng, ['MARKET', 'LIMIT'])
    const price = type === 'LIMIT' && { price: near(scene, 0.06) }
    const own = { algo_type: 'STOP', side: sideOf(scene), type, ...price }
    return algo(scene, { ...own, quantity: sizeOf(scene), trigger_price: near(scene) })
  },
  'take profit': (scene) => {
    const child_orders = legsOf(scene, sideOf(scene), 'MARKET')
    const own = { algo_type: 'TP_SL', trigger_price_type: 'MARK_PRICE' }
    return algo(scene, { ...own, quantity: sizeOf(scene), child_orders })
  },
  'guard position': (scene) => {
    const child_orders = legsOf(scene, sideOf(scene), 'CLOSE_POSITION')
    const own = { algo_type: 'POSITIONAL_TP_SL', trigger_price_type: 'MARK_PRICE' }
    return algo(scene, { ...own, child_orders })
  },
  bracket: (scene) => {
    const { symbol, rng } = scene
    const side = sideOf(scene)
    const [algo_type, type] = pick(rng, [
      ['TP_SL', 'MARKET'] as const,
      ['POSITIONAL_TP_SL', 'CLOSE_POSITION'] as const,
    ])
    const leg = { symbol, algo_type, child_orders: legsOf(scene, other(side), type) }
    const own = { algo_type: 'BRACKET', side, type: 'LIMIT', price: near(scene) }
    return algo(scene, { ...own, quantity: sizeOf(scene), child_orders: [leg] })
  },
  trail: (scene) => {
    const { rng, mark } = scene
    const own = { algo_type: 'TRAILING_STOP', side: sideOf(scene), type: 'MARKET' }
    return algo(scene, {
      ...{ ...own, quantity: sizeOf(scene), reduce_only: isLucky(rng, 0.5) },
      ...(isLucky(rng, 0.5) ? { callbackRate: '0.01' } : { callbackValue: cents(mark * 0.005) }),
      ...(isLucky(rng, 0.5) && { activatedPrice: near(scene) }),
    })
  },
  'change algo': async (scene) => {
    const order = await openOf(scene, '/v1/algo/orders')
    if (!order) return null
    const { algo_order_id: order_id, trigger_price, symbol } = order
    if (isLucky(scene.rng, 0.5))
      return scene.trader.delete(`/v1/algo/order?order_id=${order_id}&symbol=${symbol}`)
    const change = trigger_price ? { trigger_price: near(scene) } : { quantity: sizeOf(scene) }
    return scene.trader.put('/v1/algo/order', { order_id, ...change })
  },
  leverage: ({ trader, rng, symbol }) =>
    trader.post('/v1/client/leverages', { symbol, leverage: Math.ceil(randomBetween(rng, 2, 20)) }),
  mode: ({ trader, rng, symbol }) => {
    const default_margin_mode = pick(rng, ['CROSS', 'ISOLATED'])
    return trader.post('/v1/client/margin_mode', { symbol, default_margin_mode })
  },
  margin: (scene) => {
    const { trader, rng, symbol } = scene
    const fields = { symbol, type: pick(rng, ['ADD', 'REDUCE']), amount: usdc(scene, 500) }
    return trader.post('/v1/position_margin', fields)
  },
  settle: ({ fixture, trader, name }) => consentsOf(fixture).settle(trader, name),
  withdraw: (scene) => {
    const { fixture, trader, name } = scene
    return consentsOf(fixture).withdraw(trader, name, String(usdc(scene, 3000) * 1e6))
  },
  transfer: (scene) => {
    const { trader, rng, others } = scene
    const receiver = { account_id: pick(rng, others).accountId, amount: usdc(scene, 800) }
    return trader.post('/v1/internal_transfer', { receiver_list: [receiver] })
  },
  price: async (scene) => {
    const reach = pick(scene.rng, [0.002, 0.01, 0.03])
    moveTo(scene, near(scene, reach))
    return null
  },
  time: async ({ fixture, rng }) => {
    fixture.sleep(pick(rng, [500, 15 * SECOND_MS, 60 * SECOND_MS, HOUR_MS, 9 * HOUR_MS]))
    fixture.advance()
    return null
  },
  liquidate: async (scene) => {
    const { byKey } = scene.fixture.exchange().simulation().engine.world.exchange
    return ask(scene, 'liquidate', { account: byKey.get(scene.trader.accountId)?.number ?? -1 })
  },
  status: async (scene) => {
    const { bySymbol } = scene.fixture.exchange().simulation().engine.world.exchange
    const market = bySymbol.get(scene.symbol)?.number ?? -1
    // Open most of the time.
    const states = ['ACTIVE', 'ACTIVE', 'ACTIVE', 'REDUCE_ONLY', 'POST_ONLY', 'PENDING'] as const
    return ask(scene, 'status', { market, status: pick(scene.rng, states) })
  },
}
