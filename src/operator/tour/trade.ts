import { formatDecimal, mulDiv, parseDecimal } from '../../core/decimals.ts'
import { isObject, rowsAt } from '../../core/json.ts'
import { pollUntil } from '../command/steps.ts'
import type { Tour } from './context.ts'

const SCALE = 8
const SYMBOL = 'PERP_ETH_USDC'
/** Polling for a trade: a venue acknowledges orders before it executes them. */
const TRADE_POLLING = { everyMs: 250, pollsMax: 40 } as const

/** Finds the market in which the tour trades. */
export async function findMarket({ client, market }: Tour): Promise<string> {
  const markets = rowsAt(await client.get('/api/prep/markets'), 'markets')
  const rules = rowsAt(await client.get('/api/prep/market-rules'), 'rules')
  const row = markets.find((each) => each['symbol'] === SYMBOL) ?? markets[0]
  const symbol = String(row?.['symbol'])
  const info = rules.find((each) => each['symbol'] === symbol)?.['info']
  if (!row || !isObject(info)) throw new Error('no market to trade in')
  market.set({
    symbol,
    mark: decimal(row['mark_price']),
    quoteTick: decimal(info['quote_tick']),
    baseTick: decimal(info['base_tick']),
    minNotional: decimal(info['min_notional']),
  })
  return `${markets.length} active; the tour trades ${symbol}`
}

export async function readBalance(tour: Tour): Promise<string> {
  const answer = await tour.relay({ method: 'GET', path: '/v1/positions' })
  const value = isObject(answer) ? answer['total_collateral_value'] : undefined
  if (typeof value !== 'number') throw new Error('the account has no collateral value')
  return `${value.toFixed(2)} USDC of collateral`
}

/** Places a resting buy order 5 % below the mark price, which is within the price limits and below all sellers. */
export async function placeLimit(tour: Tour): Promise<string> {
  const { symbol, mark, quoteTick } = tour.market.get()
  const target = mulDiv(mark, 95n, 100n, 'floor')
  const price = target - (target % quoteTick)
  const [order_price, order_quantity] = [toQuantity(price), quantityAt(tour, price)]
  const order = { symbol, order_type: 'LIMIT', side: 'BUY', order_price, order_quantity }
  const id = tour.orderId.set(await place(tour, order))
  return `order ${id} rests: buy ${order_quantity} at ${order_price}`
}

export async function cancelTourOrder(tour: Tour): Promise<string> {
  const [orderId, { symbol }] = [tour.orderId.get(), tour.market.get()]
  const rests = async () => {
    const answer = await tour.relay({ method: 'GET', path: '/v1/orders?status=INCOMPLETE' })
    return rowsAt(answer, 'rows').some((row) => String(row['order_id']) === orderId)
  }
  if (!(await rests())) throw new Error('the order is not resting')
  const path = `/v1/order?order_id=${orderId}&symbol=${symbol}`
  await tour.relay({ method: 'DELETE', path })
  const poll = async () => ((await rests()) ? null : true)
  await pollUntil({ ...tour, ...TRADE_POLLING }, poll, 'the order still rests')
  return `order ${orderId} is off the book`
}

export async function buyAtMarket(tour: Tour): Promise<string> {
  const { symbol, mark } = tour.market.get()
  const order_quantity = quantityAt(tour, mark)
  const id = await place(tour, { symbol, order_type: 'MARKET', side: 'BUY', order_quantity })
  return `order ${id} bought ${order_quantity}`
}

export async function readPosition(tour: Tour): Promise<string> {
  const size = tour.size.set(await heldSize(tour, (found) => found > 0n))
  return `long ${formatDecimal(size, SCALE)} ${tour.market.get().symbol}`
}

export async function closeTourPosition(tour: Tour): Promise<string> {
  const { symbol } = tour.market.get()
  const order = { symbol, order_type: 'MARKET', side: 'SELL', reduce_only: true }
  const id = await place(tour, { ...order, order_quantity: toQuantity(tour.size.get()) })
  return `order ${id} sold it, reduce-only`
}

export async function expectFlat(tour: Tour): Promise<string> {
  await heldSize(tour, (found) => found === 0n)
  return 'the position is closed'
}

/** The quantity worth twice the minimum order value at a price, rounded to the market's step. */
function quantityAt({ market }: Tour, price: bigint): number {
  const { minNotional, baseTick } = market.get()
  const wanted = mulDiv(minNotional * 2n, 10n ** BigInt(SCALE), price, 'ceil')
  return toQuantity(mulDiv(wanted, 1n, baseTick, 'ceil') * baseTick)
}

/** Sends an order and returns its id. Throws if it is rejected. */
async function place(tour: Tour, order: object): Promise<string> {
  const body = JSON.stringify(order)
  const result = await tour.relay({ method: 'POST', path: '/v1/order', body })
  const { error_message: refusal = '', order_id: id } = isObject(result) ? result : {}
  if (typeof refusal === 'string' && !['', 'none'].includes(refusal))
    throw new Error('the order was rejected')
  if (typeof id !== 'number') throw new Error('the order has no id')
  return String(id)
}

/** Polls until the position in the market satisfies `isWanted`. Returns the position's size. */
function heldSize(tour: Tour, isWanted: (size: bigint) => boolean): Promise<bigint> {
  const { symbol } = tour.market.get()
  const poll = async () => {
    const positions = rowsAt(await tour.relay({ method: 'GET', path: '/v1/positions' }), 'rows')
    const row = positions.find((position) => position['symbol'] === symbol)
    const size = row ? decimal(row['position_qty']) : 0n
    return isWanted(size) ? size : null
  }
  return pollUntil({ ...tour, ...TRADE_POLLING }, poll, 'the position is not what was traded')
}

function decimal(value: unknown): bigint {
  const parsed = parseDecimal(String(value), SCALE)
  if (parsed === null) throw new Error('a figure is not a number')
  return parsed
}

function toQuantity(scaled: bigint): number {
  return Number(formatDecimal(scaled, SCALE))
}
