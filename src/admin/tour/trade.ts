import type { Client, Credentials } from '../../client/client.ts'
import { formatDecimal, mulDiv, parseDecimal } from '../../core/decimals.ts'
import { isObject } from '../../core/json.ts'
import { later, lookUntil, rowsOf, type Step } from '../command/steps.ts'

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
/** A venue acknowledges orders before it executes them. */
const SETTLING = { everyMs: 250, looksMax: 40 } as const

/** Finds the market the tour trades in. Throws when it is not there. */
export async function findMarket(client: Client): Promise<TourMarket> {
  const markets = rowsOf(await client.get('/api/prep/markets'), 'markets')
  const rules = rowsOf(await client.get('/api/prep/market-rules'), 'rules')
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

type Trader = {
  readonly client: Client
  readonly credentials: () => Credentials
  readonly sleep: (ms: number) => Promise<void>
}

/** Rests an order and cancels it, buys at the market, closes the position, and looks at the balance before and after. */
export function tradeSteps(trader: Trader, market: () => TourMarket): readonly Step[] {
  const [orderId, held] = [later<string>(), later<bigint>()]
  const balanceStep: Step = ['balance', async () => `${await balance(trader)} USDC of collateral`]
  return [
    balanceStep,
    [
      'limit order',
      async () => {
        const resting = restingOrder(market())
        const id = orderId.set(await place(trader, resting))
        return `order ${id} rests: buy ${resting.order_quantity} at ${resting.order_price}`
      },
    ],
    [
      'cancel',
      async () => {
        await cancel(trader, market().symbol, orderId.get())
        return `order ${orderId.get()} is off the book`
      },
    ],
    [
      'market buy',
      async () => {
        const buy = marketOrder(market(), 'BUY', orderQuantity(market(), market().mark))
        return `order ${await place(trader, buy)} bought ${buy.order_quantity}`
      },
    ],
    [
      'position',
      async () => {
        const size = held.set(await heldQuantity(trader, market(), (found) => found > 0n))
        return `long ${formatDecimal(size, SCALE)} ${market().symbol}`
      },
    ],
    [
      'close',
      async () => {
        const sale = marketOrder(market(), 'SELL', Number(formatDecimal(held.get(), SCALE)))
        const id = await place(trader, { ...sale, reduce_only: true })
        return `order ${id} sold it, reduce-only`
      },
    ],
    [
      'flat',
      async () => {
        await heldQuantity(trader, market(), (found) => found === 0n)
        return 'the position is closed'
      },
    ],
    balanceStep,
  ]
}

function marketOrder({ symbol }: TourMarket, side: 'BUY' | 'SELL', order_quantity: number) {
  return { symbol, order_type: 'MARKET', side, order_quantity }
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

async function place(trader: Trader, order: object): Promise<string> {
  const result = await relayed(trader, 'POST', '/v1/order', JSON.stringify(order))
  const { error_message: refusal, order_id: id } = isObject(result)
    ? result
    : { error_message: 'no answer', order_id: undefined }
  if (typeof refusal === 'string' && refusal !== '' && refusal !== 'none')
    throw new Error('the order was rejected')
  if (typeof id !== 'number') throw new Error('the order has no id')
  return String(id)
}

async function cancel(trader: Trader, symbol: string, orderId: string): Promise<void> {
  const rests = async () => (await restingIds(trader)).includes(orderId)
  if (!(await rests())) throw new Error('the order is not resting')
  await relayed(trader, 'DELETE', `/v1/order?order_id=${orderId}&symbol=${symbol}`)
  await lookUntil(
    { ...trader, ...SETTLING },
    async () => ((await rests()) ? null : true),
    'the order still rests',
  )
}

async function restingIds(trader: Trader): Promise<readonly string[]> {
  const answer = await relayed(trader, 'GET', '/v1/orders?status=INCOMPLETE')
  return rowsOf(answer, 'rows').map((row) => String(row['order_id']))
}

async function heldQuantity(
  trader: Trader,
  { symbol }: TourMarket,
  wanted: (size: bigint) => boolean,
): Promise<bigint> {
  const look = async () => {
    const positions = rowsOf(await relayed(trader, 'GET', '/v1/positions'), 'rows')
    const row = positions.find((position) => position['symbol'] === symbol)
    const size = row ? decimal(row['position_qty']) : 0n
    return wanted(size) ? size : null
  }
  return lookUntil({ ...trader, ...SETTLING }, look, 'the position is not what was traded')
}

async function balance(trader: Trader): Promise<string> {
  const answer = await relayed(trader, 'GET', '/v1/positions')
  const value = isObject(answer) ? answer['total_collateral_value'] : undefined
  if (typeof value !== 'number') throw new Error('the account has no collateral value')
  return value.toFixed(2)
}

function relayed(
  { client, credentials }: Trader,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: string,
): Promise<unknown> {
  return client.relay(credentials(), { method, path, ...(body !== undefined && { body }) })
}

function decimal(value: unknown): bigint {
  const parsed = parseDecimal(String(value), SCALE)
  if (parsed === null) throw new Error('a figure is not a number')
  return parsed
}
