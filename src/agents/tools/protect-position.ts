import type { Row } from '../../core/json.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import { amountNumber } from '../../perp/amounts.ts'
import { MARGIN_MODES, type MarginMode, type Position } from '../../perp/positions.ts'
import { bodyText, legBodies } from '../../perp/write-body.ts'
import { accountRead } from '../account-call.ts'
import { ClientFailure } from '../client/client.ts'
import { NO_SPENDING } from '../limits/spending.ts'
import { marketWrite } from '../orders/market-write.ts'
import { assertTriggers, type Leg, triggerLegs } from '../orders/triggers.ts'
import { invalidArgument, toolRefusal } from '../refusal.ts'
import type { SignedContext } from '../tool.ts'
import {
  argumentSchema,
  choice,
  optional,
  positiveNumber,
  symbolArgument,
} from '../tool-arguments.ts'
import { writeTool } from '../tool-kinds.ts'
import { openPositionsIn } from '../views/account.ts'
import { openAlgos, orderWithLegs, triggerShown } from '../views/algo-orders.ts'

import { exactMarket } from '../views/market.ts'

/** Hint for a venue without conditional orders. Without the hint, its not_found would look like a wrong symbol. */
export const NO_ALGO_ORDERS = {
  not_found: 'This venue has no algo orders. Tell the user that the position has no stop.',
} as const

const PROTECTION_ARGUMENTS = argumentSchema({
  symbol: symbolArgument,
  take_profit_price: optional(positiveNumber('Mark price, USDC.')),
  stop_loss_price: optional(positiveNumber('Mark price, USDC.')),
  margin_mode: optional(choice(MARGIN_MODES, 'If it has both.')),
})

const ONE_EACH_TEXT =
  'A position has one TP/SL of this kind: list_algo_orders shows it, edit_algo_order moves it.'
const ONE_EACH_HINTS = { venue_rejected: ONE_EACH_TEXT, duplicate_request: ONE_EACH_TEXT } as const

const TRIGGER_ARGUMENTS = {
  TAKE_PROFIT: 'take_profit_price',
  STOP_LOSS: 'stop_loss_price',
} as const
const ONE_OF_TWO = 'This market has a cross and an isolated position: name the one to protect.'
const NO_TRIGGER = 'Give take_profit_price, stop_loss_price or both.'

export const protectPosition = writeTool({
  name: 'set_position_tp_sl',
  title: 'Set take-profit and stop-loss',
  description:
    'Attach take-profit, stop-loss or both to a position: at the trigger all of it closes at market.',
  arguments: PROTECTION_ARGUMENTS,
  effect: 'closes the whole position when its trigger is reached',
  otherWays: {
    base_size:
      'It closes the whole position. place_algo_order with reduce_only and order_quantity closes a part.',
    percent:
      'It closes the whole position. place_algo_order with reduce_only and order_quantity closes a part.',
    fraction:
      'It closes the whole position. place_algo_order with reduce_only and order_quantity closes a part.',
    price: 'It closes at the market. place_algo_order with order_price has a limit.',
    trigger: 'take_profit_price and stop_loss_price are the triggers.',
    trailing: 'place_algo_order places a trailing stop.',
    callback_fraction: 'place_algo_order places a trailing stop.',
  },
  idempotent: false,
  hints: {
    ...NO_ALGO_ORDERS,
    ...ONE_EACH_HINTS,
  },
  run: async (context, given) => {
    const { symbol, take_profit_price, stop_loss_price } = given
    if (take_profit_price === undefined && stop_loss_price === undefined)
      throw invalidArgument('stop_loss_price', 'missing', { next: NO_TRIGGER })
    const market = await exactMarket(context, symbol)
    const { quantity, mode } = await readPositionToProtect(context, symbol, given.margin_mode)
    const legs = triggerLegs(given, TRIGGER_ARGUMENTS, quantity > 0n)
    assertTriggers(market, given, legs, { name: 'mark_price', price: market.mark })
    await assertNoneSet(context, { symbol, mode }, legs)
    const side = quantity > 0n ? 'SELL' : 'BUY'
    const { order_id = null, ...result } = await marketWrite(context, {
      tool: 'set_position_tp_sl',
      symbol,
      side,
      spending: NO_SPENDING,
      write: {
        method: 'POST',
        path: '/v1/algo/order',
        body: bodyText({
          ...{ symbol, algo_type: 'POSITIONAL_TP_SL', trigger_price_type: 'MARK_PRICE' },
          margin_mode: mode,
          child_orders: legBodies(symbol, side, 'CLOSE_POSITION', legs),
        }),
        lookUp: { tool: 'list_algo_orders', arguments: { symbol } },
      },
    })
    return { ...given, algo_order_id: order_id, ...result, next: PROTECTION_SET_STEP }
  },
})

const PROTECTION_SET_STEP = 'list_algo_orders shows it waiting; edit_algo_order moves it.'

/** Throws duplicate_request before sending if the position already has such a TP/SL, with the call that edits it. */
async function assertNoneSet(
  context: SignedContext,
  { symbol, mode }: { readonly symbol: string; readonly mode: MarginMode },
  legs: readonly Leg[],
): Promise<void> {
  // If the existing stops cannot be read, the new one is sent: the venue itself refuses a second stop.
  const open = await openAlgos(context, symbol).catch(defaultOnFailure('mcp', [], ClientFailure))
  const set = open
    .filter((row) => isOfPosition(row, mode))
    .flatMap(orderWithLegs)
    .filter((part) => CLOSING.has(part['algo_type']))
  if (set.length === 0) return
  const edits = legs.flatMap(({ algoType, price }) =>
    set
      .filter(({ algo_type }) => algo_type === algoType)
      .map(({ algo_order_id }) => ({
        tool: 'edit_algo_order',
        arguments: { algo_order_id, symbol, trigger_price: amountNumber(price) },
      })),
  )
  throw toolRefusal('duplicate_request', {
    parameter: legs[0]?.parameter,
    existing: set.map(triggerShown),
    ...(edits.length > 0 && { edits }),
    next: edits.length === legs.length ? MOVE : SET_BESIDE,
  })
}

const CLOSING: ReadonlySet<unknown> = new Set(['TAKE_PROFIT', 'STOP_LOSS'])

function isOfPosition({ algo_type, margin_mode }: Row, mode: MarginMode): boolean {
  return algo_type === 'POSITIONAL_TP_SL' && (margin_mode ?? mode) === mode
}

const MOVE =
  'The position has this already, and nothing was sent. Make the calls in edits to move it: the position stays protected meanwhile.'
const SET_BESIDE =
  'Nothing was sent. The position already has a TP/SL, which takes no other trigger. Calls in edits move what there is. A further stop is one of place_algo_order, with reduce_only.'

/**
 * Reads the position to protect. Throws invalid_request if the market has positions in both margin modes and the caller
 * named neither. If the read fails at a venue without conditional orders, throws the venue's not_found, because such a
 * venue cannot protect any position.
 */
async function readPositionToProtect(
  context: SignedContext,
  symbol: string,
  mode: MarginMode | undefined,
): Promise<Position> {
  try {
    const [position, ...others] = await openPositionsIn(context, symbol, mode)
    if (others.length === 0) return position
    throw invalidArgument('margin_mode', 'missing', { allowed: MARGIN_MODES, next: ONE_OF_TWO })
  } catch (error) {
    await accountRead(context, '/v1/algo/orders', { symbol, page: 1, size: 1 })
    throw error
  }
}
