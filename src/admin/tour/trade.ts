import type { Client, Credentials } from '../../client/client.ts'
import { formatDecimal, mulDiv, parseDecimal } from '../../core/decimals.ts'
import { isObject } from '../../core/json.ts'
import type { Guide } from './guide.ts'

/** A market and what an order in it has to respect; all amounts have eight decimals. */
export type TourMarket = {
  readonly symbol: string
  readonly count: number
  readonly mark: bigint
  readonly quoteTick: bigint
  readonly baseTick: bigint
  readonly minNotional: bigint
}

const SCALE = 8
const ONE = 10n ** BigInt(SCALE)
const SYMBOL = 'PERP_ETH_USDC'
const SETTLE_MS = 250
const LOOKS_MAX = 40

/** Finds the market the tour trades in. Throws when it is not there. */
export async function findMarket(client: Client): Promise<TourMarket> {
  const markets = rows(await client.get('/api/prep/markets'), 'markets')
  const rules = rows(await client.get('/api/prep/market-rules'), 'rules')
  const market = markets.find((row) => row['symbol'] === SYMBOL) ?? markets[0]
  const symbol = String(market?.['symbol'])
  const info = rules.find((row) => row['symbol'] === symbol)?.['info']
  if (!market || !isObject(info)) throw new Error('no market to trade in')
  return {
    symbol,
    count: markets.length,
    mark: decimal(market['mark_price']),
    quoteTick: decimal(info['quote_tick']),
    baseTick: decimal(info['base_tick']),
    minNotional: decimal(info['min_notional']),
  }
}

type Desk = {
  readonly client: Client
  readonly credentials: Credentials
  readonly sleep: (ms: number) => Promise<void>
}

/** Rests an order and cancels it, buys at the market, closes the position, and looks at the balance before and after. */
export async function trade(guide: Guide, desk: Desk, market: TourMarket): Promise<void> {
  const { symbol } = market
  const tellBalance = (value: string) => `${value} USDC of collateral`
  await guide.step('balance', () => balance(desk), tellBalance)
  const resting = restingOrder(market)
  const orderId = await guide.step(
    'limit order',
    () => place(desk, resting),
    (id) => `order ${id} rests: buy ${resting.order_quantity} at ${resting.order_price}`,
  )
  await guide.step(
    'cancel',
    () => cancel(desk, symbol, orderId),
    () => `order ${orderId} is off the book`,
  )
  const quantity = orderQuantity(market, market.mark)
  const buy = { symbol, order_type: 'MARKET', side: 'BUY', order_quantity: quantity }
  await guide.step(
    'market buy',
    () => place(desk, buy),
    (id) => `order ${id} bought ${quantity}`,
  )
  const held = await guide.step(
    'position',
    () => heldQuantity(desk, symbol, (size) => size > 0n),
    (size) => `long ${formatDecimal(size, SCALE)} ${symbol}`,
  )
  const close = {
    ...buy,
    side: 'SELL',
    order_quantity: Number(formatDecimal(held, SCALE)),
    reduce_only: true,
  }
  await guide.step(
    'close',
    () => place(desk, close),
    (id) => `order ${id} sold it, reduce-only`,
  )
  await guide.step(
    'flat',
    () => heldQuantity(desk, symbol, (size) => size === 0n),
    () => 'the position is closed',
  )
  await guide.step('balance', () => balance(desk), tellBalance)
}

// Five percent under the mark: inside every price bound, and nobody sells there.
function restingOrder(market: TourMarket) {
  const target = mulDiv(market.mark, 95n, 100n, 'floor')
  const price = target - (target % market.quoteTick)
  return {
    symbol: market.symbol,
    order_type: 'LIMIT',
    side: 'BUY',
    order_price: Number(formatDecimal(price, SCALE)),
    order_quantity: orderQuantity(market, price),
  }
}

/** Twice the smallest order value at a price, on the market's step. */
function orderQuantity({ minNotional, baseTick }: TourMarket, price: bigint): number {
  const wanted = mulDiv(minNotional * 2n, ONE, price, 'ceil')
  const steps = mulDiv(wanted, 1n, baseTick, 'ceil')
  return Number(formatDecimal(steps * baseTick, SCALE))
}

async function place({ client, credentials }: Desk, order: object): Promise<string> {
  const body = JSON.stringify(order)
  const result = await client.relay(credentials, { method: 'POST', path: '/v1/order', body })
  const refusal = isObject(result) ? result['error_message'] : 'no answer'
  if (typeof refusal === 'string' && refusal !== '' && refusal !== 'none')
    throw new Error('the order was rejected')
  const id = isObject(result) ? result['order_id'] : undefined
  if (typeof id !== 'number') throw new Error('the order has no id')
  return String(id)
}

async function cancel(desk: Desk, symbol: string, orderId: string): Promise<void> {
  if (!(await restingIds(desk)).includes(orderId)) throw new Error('the order is not resting')
  const path = `/v1/order?order_id=${orderId}&symbol=${symbol}`
  await desk.client.relay(desk.credentials, { method: 'DELETE', path })
  await until(
    desk,
    async () => ((await restingIds(desk)).includes(orderId) ? null : true),
    'the order still rests',
  )
}

async function restingIds({ client, credentials }: Desk): Promise<readonly string[]> {
  const answer = await client.relay(credentials, {
    method: 'GET',
    path: '/v1/orders?status=INCOMPLETE',
  })
  return rows(answer, 'rows').map((row) => String(row['order_id']))
}

async function heldQuantity(
  desk: Desk,
  symbol: string,
  wanted: (size: bigint) => boolean,
): Promise<bigint> {
  const look = async () => {
    const answer = await desk.client.relay(desk.credentials, {
      method: 'GET',
      path: '/v1/positions',
    })
    const row = rows(answer, 'rows').find((position) => position['symbol'] === symbol)
    const size = row ? decimal(row['position_qty']) : 0n
    return wanted(size) ? size : null
  }
  return until(desk, look, 'the position is not what was traded')
}

async function balance({ client, credentials }: Desk): Promise<string> {
  const answer = await client.relay(credentials, { method: 'GET', path: '/v1/positions' })
  const value = isObject(answer) ? answer['total_collateral_value'] : undefined
  if (typeof value !== 'number') throw new Error('the account has no collateral value')
  return value.toFixed(2)
}

/** Looks until there is an answer: a venue acknowledges orders before it executes them. */
async function until<T>(
  { sleep }: Desk,
  look: () => Promise<T | null>,
  otherwise: string,
): Promise<T> {
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    const found = await look()
    if (found !== null) return found
    await sleep(SETTLE_MS)
  }
  throw new Error(otherwise)
}

function rows(answer: unknown, name: string): readonly Record<string, unknown>[] {
  const list = isObject(answer) ? answer[name] : undefined
  return Array.isArray(list) ? list.filter(isObject) : []
}

function decimal(value: unknown): bigint {
  const parsed = parseDecimal(String(value), SCALE)
  if (parsed === null) throw new Error('a figure is not a number')
  return parsed
}
