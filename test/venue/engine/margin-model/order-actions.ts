import type { Asked } from './asked.ts'
import { onStep, onTick, pick, setMode } from './asked.ts'
import { figuresOf, type World } from './figures.ts'
import * as ledger from './ledger.ts'
import type { Scenario, Side } from './scenario.ts'

/** An order of a random size: small ones, and some beyond what the account can carry. */
export function place(scenario: Scenario, side: Side, world: World): Asked | null {
  const { rng } = scenario
  const { account } = side
  const symbol = pick(scenario, scenario.wire.symbols)
  const mark = world.now.get(symbol)?.mark ?? 0
  const type = pick(scenario, [
    'MARKET',
    'MARKET',
    'LIMIT',
    'LIMIT',
    'LIMIT',
    'IOC',
    'POST_ONLY',
    'FOK',
  ])
  const reduceOnly = rng() < 0.12
  const held = account.positions.get(symbol)?.quantity ?? 0
  const buys = reduceOnly && held !== 0 ? held < 0 : rng() < 0.5
  const away = (rng() - 0.15) * (rng() < 0.2 ? 0.2 : 0.01)
  const price = onTick(mark * (buys ? 1 - away : 1 + away))
  const named = rng() < 0.35 ? pick(scenario, ['CROSS', 'ISOLATED'] as const) : null
  const used = ledger.modeOf(account, symbol)
  const mode = named ?? used
  const figures = figuresOf(account, world)
  const leverage = ledger.leverageOf(account, symbol, mode)
  const room = (figures.free + 50) * Math.min(leverage, 20)
  const quantity = onStep((room * rng() * (rng() < 0.15 ? 1.6 : 0.95)) / mark)
  if (quantity * Math.min(mark, price) < 11 || quantity > 90) return null
  const body = {
    ...{ symbol, order_type: type, side: buys ? 'BUY' : 'SELL', order_quantity: quantity },
    ...(type !== 'MARKET' && { order_price: price }),
    ...(reduceOnly && { reduce_only: true }),
    ...(named && { margin_mode: named }),
  }
  const order = { symbol, price: type === 'MARKET' ? mark : price, left: quantity, mode } as const
  const asks = { ...order, side: buys ? 'BUY' : 'SELL', reduceOnly } as const
  return {
    name: `place ${mode}${reduceOnly ? ' reduce-only' : ''}`,
    ...{ method: 'POST', path: '/v1/order', body },
    // An order that names its mode sets the market's.
    accept: () => void (named && setMode(account, symbol, named)),
    expected: reduceOnly ? null : carried(side, world, { order: asks, clashes: mode !== used }),
  }
}

/** Whether an account can carry one more order by the published rule, with a band for fees and slippage. */
function carried(
  { account }: Side,
  world: World,
  { order, clashes }: { readonly order: ledger.OpenOrder; readonly clashes: boolean },
): Asked['expected'] {
  const { symbol, mode, price, left } = order
  const position = account.positions.get(symbol)
  const isInUse = (position?.quantity ?? 0) !== 0 || account.orders.some((o) => o.symbol === symbol)
  if (clashes) return isInUse ? 'refused' : null
  const was = figuresOf(account, world)
  const now = figuresOf({ ...account, orders: [...account.orders, order] }, world)
  const { mark, notionalWithOrders = 0 } = now.markets.get(symbol) ?? { mark: 0 }
  const factor = world.rules.get(symbol)?.factor ?? 0
  const leverage = ledger.leverageOf(account, symbol, mode)
  const notionalMax = (1 / (leverage * factor)) ** 1.25
  if (notionalWithOrders > notionalMax * 1.02) return 'refused'
  // A closing order without reduce_only may fail on margin: which price it is judged at is not documented.
  const held = position?.quantity ?? 0
  const isClosing = mode === 'ISOLATED' && (order.side === 'SELL' ? held > 0 : held < 0)
  const isNearMax = notionalWithOrders > notionalMax * 0.98
  const band = left * (Math.abs(price - mark) + mark * 0.004) + now.initialWithOrders * 0.002 + 1
  const slack =
    was.collateral - was.initialWithOrders - (now.initialWithOrders - was.initialWithOrders)
  const room = mode === 'CROSS' ? slack : slack - (now.frozen - was.frozen)
  if (room > band && !isNearMax) return isClosing ? null : 'accepted'
  return room < -band ? 'refused' : null
}

/** Cancels an open order. */
export function cancel(scenario: Scenario, { account }: Side): Asked | null {
  const order = pick(scenario, account.orders)
  if (!order) return null
  const path = `/v1/order?order_id=${order.id}&symbol=${order.symbol}`
  return { name: 'cancel', method: 'DELETE', path, expected: 'accepted' }
}

/** Gives an open order another price and quantity. */
export function edit(scenario: Scenario, { account }: Side): Asked | null {
  const { rng } = scenario
  const order = pick(scenario, account.orders)
  if (!order) return null
  const { symbol, side } = order
  const order_price = onTick(order.price * (1 + (rng() - 0.5) * 0.01))
  const order_quantity = onStep(order.left * (0.5 + rng()))
  const body = {
    order_id: order.id,
    symbol,
    side,
    order_type: 'LIMIT',
    order_price,
    order_quantity,
  }
  return { name: 'edit', method: 'PUT', path: '/v1/order', body, expected: null }
}
