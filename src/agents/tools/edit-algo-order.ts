import type { Static } from '@sinclair/typebox'
import { type Row, rowsAt } from '../../core/json.ts'
import { toAmount } from '../../perp/amounts.ts'
import { type BodyFields, bodyText } from '../../perp/write-body.ts'
import { pathWith } from '../account-call.ts'
import { NO_SPENDING } from '../limits/spending.ts'
import {
  type AlgoArguments,
  algoBody,
  algoSpending,
  assertAlgoRules,
} from '../orders/algo-order.ts'
import { marketWrite } from '../orders/market-write.ts'
import { newSendingOrder } from '../orders/send-once.ts'
import { assertTriggers, triggerLegs } from '../orders/triggers.ts'
import { invalidArgument, toolRefusal, toToolFailure, withMeta } from '../refusal.ts'
import type { SignedContext } from '../tool.ts'
import {
  argumentAmount,
  argumentSchema,
  optional,
  positiveNumber,
  symbolArgument,
  wholeNumber,
} from '../tool-arguments.ts'
import { writeTool } from '../tool-kinds.ts'
import { isWaiting, orderWithLegs, readAlgoTree, triggerShown } from '../views/algo-orders.ts'
import { exactMarket, type MarketView } from '../views/market.ts'
import { NO_ALGO_ORDERS } from './protect-position.ts'

const EDIT_ARGUMENTS = argumentSchema({
  algo_order_id: wholeNumber('Of the order or leg.', { minimum: 1 }),
  symbol: symbolArgument,
  trigger_price: optional(positiveNumber('New trigger.')),
  order_price: optional(positiveNumber('New limit of a STOP.')),
  order_quantity: optional(positiveNumber('New size of a STOP.')),
  callback_rate: optional(positiveNumber('New distance of a TRAILING_STOP.', { maximum: 0.5 })),
})

type EditArguments = Static<typeof EDIT_ARGUMENTS>

export const editAlgoOrder = writeTool({
  name: 'edit_algo_order',
  description:
    'Move a stop, take-profit, stop-loss or trailing distance; the position stays protected meanwhile.',
  arguments: EDIT_ARGUMENTS,
  effect: 'changes the named values of the order, and nothing else',
  otherWays: {
    side: 'The side of an order stays: ask the user whether to replace the order.',
    order_type: 'The type of an order stays: ask the user whether to replace the order.',
    stop_loss: 'trigger_price is the new price of the stop-loss that algo_order_id names.',
    take_profit: 'trigger_price is the new price of the take-profit that algo_order_id names.',
    order_id: 'list_algo_orders has the algo_order_id of each order and leg.',
  },
  idempotent: true,
  hints: NO_ALGO_ORDERS,
  run: async (context, given) => {
    const { algo_order_id, symbol } = given
    assertChange(given)
    const market = await exactMarket(context, symbol)
    const root = await readAlgoTree(context, algo_order_id)
    const part = root && partNamed(root, algo_order_id)
    if (!root || !part || root['symbol'] !== symbol) throw toolRefusal('not_found', NOT_HERE)
    if (!isWaiting(part)) throw toolRefusal('not_found', NOT_WAITING)
    const before = triggerShown(part)
    const isTrailing = part['algo_type'] === 'TRAILING_STOP'
    const result = isTrailing
      ? await replaceTrailingStop(context, market, part, given)
      : await editInPlace(context, market, { root, part }, given)
    return { symbol, ...result, before, next: 'list_algo_orders shows it as it is now.' }
  },
})

const CHANGES = ['trigger_price', 'order_price', 'order_quantity', 'callback_rate'] as const

function assertChange(given: EditArguments): void {
  if (CHANGES.some((name) => given[name] !== undefined)) return
  throw invalidArgument('trigger_price', 'missing', { next: 'Give what is to change.' })
}

const NOT_HERE = {
  parameter: 'algo_order_id',
  next: 'No conditional order of this market has this id: list_algo_orders has those that wait.',
} as const
const NOT_WAITING = {
  parameter: 'algo_order_id',
  next: 'It no longer waits: triggered, filled or cancelled. Nothing was changed. list_positions shows the position.',
} as const

/** The order or leg with this id; for a group, its only waiting leg. Throws invalid_request if several legs wait. */
function partNamed(root: Row, id: number): Row | null {
  const part = orderWithLegs(root).find((each) => each['algo_order_id'] === id)
  if (!part || hasOwnTrigger(part)) return part ?? null
  const legs = orderWithLegs(part).filter((leg) => hasOwnTrigger(leg) && isWaiting(leg))
  if (legs.length < 2) return legs[0] ?? null
  throw invalidArgument('algo_order_id', 'conflicting', {
    legs: legs.map(triggerShown),
    next: 'It has several legs: name the leg that is meant.',
  })
}

function hasOwnTrigger({ trigger_price, callback_rate }: Row): boolean {
  return Number(trigger_price) > 0 || Number(callback_rate) > 0
}

/** Edits an order or leg in place. */
async function editInPlace(
  context: SignedContext,
  market: MarketView,
  { root, part }: { readonly root: Row; readonly part: Row },
  given: EditArguments,
): Promise<Row> {
  const { algo_order_id: _, callback_rate, symbol, ...change } = given
  if (callback_rate !== undefined)
    throw invalidArgument('callback_rate', 'conflicting', { next: NO_DISTANCE })
  const isLeg = part !== root
  const next = mergedOrder(part, change)
  if (isLeg) assertLeg(market, part, given)
  else assertAlgoRules(market, next, given)
  await marketWrite(context, {
    tool: 'edit_algo_order',
    symbol,
    side: next.side,
    quantity: argumentAmount('order_quantity', next.order_quantity),
    spending: isLeg ? NO_SPENDING : algoSpending(market, next),
    write: {
      method: 'PUT',
      path: '/v1/algo/order',
      body: bodyText(editFields(root, part, change)),
      lookUp: { tool: 'list_algo_orders', arguments: { symbol } },
    },
  })
  return { algo_order_id: part['algo_order_id'], ...change }
}

const NO_DISTANCE = 'Only a TRAILING_STOP has a callback_rate: trigger_price moves this one.'

/** Throws invalid_request if a leg's new trigger is beyond the mark price, where the leg would close at once. */
function assertLeg(market: MarketView, part: Row, given: EditArguments): void {
  const alien = (['order_price', 'order_quantity'] as const).find(
    (name) => given[name] !== undefined,
  )
  if (alien) throw invalidArgument(alien, 'conflicting', { next: LEG_FOLLOWS })
  const names = { TAKE_PROFIT: 'trigger_price', STOP_LOSS: 'trigger_price' } as const
  const legs = triggerLegs(given, names, part['side'] === 'SELL')
  const own = legs.filter(({ algoType }) => algoType === part['algo_type'])
  assertTriggers(market, given, own, { name: 'mark_price', price: market.mark })
}

const LEG_FOLLOWS =
  'A take-profit or stop-loss closes at the market what its position or order has: only trigger_price changes.'

/** An order or leg with its changes, as arguments of `place_algo_order`. */
function mergedOrder(part: Row, change: Partial<EditArguments>): AlgoArguments {
  const number = (name: string) => (Number(part[name]) > 0 ? Number(part[name]) : undefined)
  const trigger_price = change.trigger_price ?? number('trigger_price')
  const order_price = change.order_price ?? number('price')
  return {
    symbol: String(part['symbol']),
    side: part['side'] === 'BUY' ? 'BUY' : 'SELL',
    algo_type: 'STOP',
    order_quantity: change.order_quantity ?? number('quantity') ?? 0,
    ...(trigger_price !== undefined && { trigger_price }),
    ...(order_price !== undefined && { order_price }),
    reduce_only: part['reduce_only'] === true,
  }
}

/** The body of PUT /v1/algo/order: the root order with the legs on the way to the changed leg. */
function editFields(root: Row, part: Row, change: Partial<EditArguments>): BodyFields {
  const order_id = String(root['algo_order_id'])
  if (root === part)
    return {
      order_id,
      price: toAmount(change.order_price),
      quantity: toAmount(change.order_quantity),
      trigger_price: toAmount(change.trigger_price),
    }
  const legs = rowsAt(root, 'child_orders').filter((leg) => orderWithLegs(leg).includes(part))
  const children = legs.map((leg) => editFields(leg, part, change))
  return { order_id, child_orders: legs.length === 0 ? null : children }
}

/**
 * Replaces a trailing stop by one with another distance, because the venue cannot edit it. The old stop is cancelled
 * after the new one waits, so the position stays protected. Throws invalid_request for a trailing stop that may open a
 * position.
 */
async function replaceTrailingStop(
  context: SignedContext,
  market: MarketView,
  part: Row,
  given: EditArguments,
): Promise<Row> {
  const { callback_rate, algo_order_id, symbol } = given
  if (
    callback_rate === undefined ||
    given.trigger_price !== undefined ||
    given.order_price !== undefined
  )
    throw invalidArgument('callback_rate', 'missing', { next: ONLY_DISTANCE })
  if (part['reduce_only'] !== true)
    throw invalidArgument('algo_order_id', 'conflicting', { next: OPENS })
  const size = given.order_quantity ?? Number(part['quantity'])
  const next: AlgoArguments = {
    ...mergedOrder(part, {}),
    ...{ algo_type: 'TRAILING_STOP', order_quantity: size, callback_rate },
  }
  const { trigger_price: _, order_price: __, ...trailing } = next
  assertAlgoRules(market, trailing, given)
  const order = newSendingOrder(context, {
    symbol,
    path: '/v1/algo/order',
    content: (id) => algoBody(trailing, id),
  })
  const { path, content: body, lookUp } = order
  const placed = await marketWrite(context, {
    ...{ tool: 'edit_algo_order', symbol, side: trailing.side, order, spending: NO_SPENDING },
    quantity: argumentAmount('order_quantity', size),
    write: { method: 'POST', path, body, lookUp },
  })
  const done = { algo_order_id: placed['order_id'], callback_rate }
  try {
    await marketWrite(context, {
      ...{ tool: 'edit_algo_order', symbol, spending: NO_SPENDING },
      write: {
        method: 'DELETE',
        path: pathWith('/v1/algo/order', { order_id: algo_order_id, symbol }),
        lookUp: { tool: 'list_algo_orders', arguments: { symbol } },
      },
    })
  } catch (error) {
    throw withMeta(toToolFailure(error), { done, next: BOTH })
  }
  return { ...done, replaces: algo_order_id }
}

const ONLY_DISTANCE = 'Of a TRAILING_STOP only callback_rate and order_quantity change.'
const OPENS =
  'A trailing stop that may open a position is not replaced: both could execute. Ask the user.'
const BOTH =
  'The new trailing stop waits beside the old one: cancel_algo_order with the algo_order_id that you gave cancels the old one.'
