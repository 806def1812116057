import type { Asked } from './asked.ts'
import { onStep, onTick, pick } from './asked.ts'
import { figuresOf, type World } from './figures.ts'
import * as ledger from './ledger.ts'
import type { Scenario, Side } from './scenario.ts'

const TYPES = ['MARKET', 'MARKET', 'LIMIT', 'LIMIT', 'LIMIT', 'IOC', 'POST_ONLY', 'FOK'] as const
export const MODES = ['CROSS', 'ISOLATED'] as const

/** An order of a random size: small ones, and some beyond what the account can carry. */
export function place(scenario: Scenario, side: Side, world: World): Asked | null {
  const { rng } = scenario
  const { account } = side
  const symbol = favoured(scenario, account)
  const type = pick(scenario, TYPES)
  const reduceOnly = rng() < 0.12
  const named = namedMode(scenario, account, symbol)
  const mode = named ?? ledger.modeOf(account, symbol)
  const held = account.positions.get(ledger.keyOf(symbol, mode))?.quantity ?? 0
  const buys = reduceOnly && held !== 0 ? held < 0 : rng() < 0.5
  const away = (rng() - 0.15) * (rng() < 0.2 ? 0.2 : 0.01)
  const share = rng() * (rng() < 0.15 ? 1.6 : 0.95)
  const drawn = {
    symbol,
    type,
    side: buys ? 'BUY' : 'SELL',
    mode,
    away,
    share,
    reduceOnly,
  } as const
  return orderAsked(side, world, drawn, named !== null)
}

/** A market order of a moderate size, for a scenario to begin with. */
export function openIn(
  { rng }: Scenario,
  side: Side,
  world: World,
  of: Pick<ledger.OpenOrder, 'symbol' | 'mode'>,
): Asked | null {
  const drawn = { ...of, type: 'MARKET', away: 0, reduceOnly: false } as const
  const buys = rng() < 0.5
  const order = { ...drawn, side: buys ? 'BUY' : 'SELL', share: 0.02 + rng() * 0.4 } as const
  return orderAsked(side, world, order, true)
}

type Drawn = Pick<ledger.OpenOrder, 'symbol' | 'side' | 'mode' | 'reduceOnly'> & {
  readonly type: (typeof TYPES)[number]
  /** How far its price is on its own side of the mark, as a share. */
  readonly away: number
  /** The part of what the account could open. */
  readonly share: number
}

function orderAsked(
  owner: Side,
  world: World,
  { type, away, share, ...drawn }: Drawn,
  isNamed: boolean,
): Asked | null {
  const { account } = owner
  const { symbol, side, mode, reduceOnly } = drawn
  const mark = world.now.get(symbol)?.mark ?? 0
  const price = onTick(mark * (side === 'BUY' ? 1 - away : 1 + away))
  const leverage = ledger.leverageOf(account, symbol, mode)
  const room = (figuresOf(account, world).free + 50) * Math.min(leverage, 20)
  const quantity = onStep((room * share) / mark)
  if (quantity * Math.min(mark, price) < 11 || quantity > 90) return null
  const body = {
    ...{ symbol, order_type: type, side, order_quantity: quantity },
    ...(type !== 'MARKET' && { order_price: price }),
    ...(reduceOnly && { reduce_only: true }),
    ...(isNamed && { margin_mode: mode }),
  }
  const held = account.positions.get(ledger.keyOf(symbol, mode))?.quantity ?? 0
  const order = { ...drawn, price: type === 'MARKET' ? mark : price, left: quantity }
  return {
    name: `place ${mode}${reduceOnly ? ' reduce-only' : ''}`,
    ...{ method: 'POST', path: '/v1/order', body },
    expected: reduceOnly ? reducing(held, order) : carried(owner, world, order),
  }
}

/** Often a market that the account uses already, so that cross and isolated meet in it. */
function favoured(scenario: Scenario, { positions, orders }: ledger.Account): string {
  const held = [...positions.values()].filter(({ quantity }) => quantity !== 0)
  const used = [...held, ...orders].map(({ symbol }) => symbol)
  return pick(scenario, used.length > 0 && scenario.rng() < 0.7 ? used : scenario.wire.symbols)
}

/** The mode that an order names, often the one that its market has no position of; null where it names none. */
function namedMode(scenario: Scenario, { positions }: ledger.Account, symbol: string) {
  if (scenario.rng() < 0.4) return null
  const isHeld = (mode: ledger.Mode) =>
    (positions.get(ledger.keyOf(symbol, mode))?.quantity ?? 0) !== 0
  const missing = MODES.filter((mode) => !isHeld(mode))
  return pick(scenario, missing.length > 0 && scenario.rng() < 0.6 ? missing : MODES)
}

/** A reduce-only order needs a position of its own mode; what its mode has not, the other does not lend it. */
function reducing(held: number, { side }: ledger.OpenOrder): Asked['expected'] {
  return (side === 'SELL' ? held > 0 : held < 0) ? null : 'refused'
}

/** Whether an account can carry one more order by the published rule, with a band for fees and slippage. */
function carried({ account }: Side, world: World, order: ledger.OpenOrder): Asked['expected'] {
  const { symbol, mode, price, left } = order
  const key = ledger.keyOf(symbol, mode)
  const was = figuresOf(account, world)
  const now = figuresOf({ ...account, orders: [...account.orders, order] }, world)
  const { mark, notionalWithOrders = 0 } = now.markets.get(key) ?? { mark: 0 }
  const factor = world.rules.get(symbol)?.factor ?? 0
  const leverage = ledger.leverageOf(account, symbol, mode)
  const notionalMax = (1 / (leverage * factor)) ** 1.25
  if (notionalWithOrders > notionalMax * 1.02) return 'refused'
  // A closing order without reduce_only may fail on margin: which price it is judged at is not documented.
  const held = account.positions.get(key)?.quantity ?? 0
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
