import type { Static, TProperties } from '@sinclair/typebox'
import { amountNumber } from '../../perp/amounts.ts'
import { MARGIN_MODES } from '../../perp/positions.ts'
import { LIMIT_PRICE_TYPES } from '../../perp/write-effects.ts'
import { invalidArgument } from '../refusal.ts'
import {
  argumentSchema,
  choice,
  decimal,
  flag,
  optional,
  positiveNumber,
  sideArgument,
  symbolExample,
  text,
  wholeNumber,
} from '../tool-arguments.ts'
import type { MarketView } from '../views/market.ts'

const ORDER_TYPES = ['LIMIT', 'MARKET', 'IOC', 'FOK', 'POST_ONLY', 'ASK', 'BID'] as const

/** The arguments of an order. */
export const ORDER_ARGUMENTS = argumentSchema({
  symbol: symbolExample,
  side: sideArgument,
  order_type: choice(
    ORDER_TYPES,
    'LIMIT, IOC, FOK, POST_ONLY need order_price. ASK, BID rest at the best price.',
  ),
  order_quantity: optional(positiveNumber('Size in the BASE asset (0.5 = 0.5 ETH), not dollars.')),
  order_amount: optional(positiveNumber('Size in USDC, instead of order_quantity.')),
  order_price: optional(positiveNumber('USDC, a multiple of quote_tick.')),
  reduce_only: flag('Only shrink a position; exempt from size limits.'),
  client_order_id: optional(text('Your own id; made when absent.', { maxLength: 36 })),
  visible_quantity: optional(decimal('Part shown on the book.', { minimum: 0 })),
  slippage: optional(
    positiveNumber('MARKET: worst fraction off the best price (0.005 = 0.5%).', { maximum: 0.1 }),
  ),
  order_tag: optional(text('Free tag.', { maxLength: 128 })),
  margin_mode: optional(choice(MARGIN_MODES, 'Default: the market’s.')),
  take_profit: optional(
    positiveNumber('LIMIT, MARKET: mark price at which what this order opens closes.'),
  ),
  stop_loss: optional(positiveNumber('As take_profit, to end a loss.')),
})

/** Advice for arguments that other APIs have and this tool lacks: the way to express the same condition. */
export const ORDER_ALTERNATIVES = {
  leverage:
    'An order has no leverage: set_leverage sets that of the market, and of what is open there.',
  trigger: 'An order that waits for a price is one of place_algo_order.',
  trailing: 'A trailing stop is one of place_algo_order.',
  callback_fraction: 'A trailing stop is one of place_algo_order.',
  bound: 'order_price with order_type IOC trades no further than that price, and nothing rests.',
  time_in_force:
    'order_type IOC, FOK or POST_ONLY says so; the others rest until they are cancelled.',
  post_only: 'order_type POST_ONLY with order_price never takes.',
  expiry: 'No order expires: standby cancels resting orders when you are silent.',
  closing: 'reduce_only only shrinks a position, by at most the size of the order.',
  dry_run: 'preview_order checks the same arguments and sends nothing.',
  risk: 'preview_order with risk_usdc and stop_loss answers the size that loses no more.',
  percent: 'order_quantity in the base asset or order_amount in USDC is the size.',
} as const

/**
 * The arguments of a preview: the arguments of an order, most without description, plus a leverage and an amount at
 * risk.
 */
export const PREVIEW_ARGUMENTS = argumentSchema({
  ...ORDER_ARGUMENTS.properties,
  ...withoutDescriptions(ORDER_ARGUMENTS.properties, ['order_quantity', 'order_amount']),
  leverage: optional(wholeNumber('For the margin.', { minimum: 1, maximum: 100 })),
  risk_usdc: optional(positiveNumber('Size by the loss at stop_loss.')),
})

/**
 * The properties without descriptions, because the listing of another tool contains the descriptions. The properties in
 * `described` keep their descriptions.
 */
function withoutDescriptions<P extends TProperties>(
  properties: P,
  described: readonly string[],
): P {
  const shown = Object.entries(properties).map(([name, property]) => {
    return [name, described.includes(name) ? property : { ...property, description: '' }]
  })
  return { ...properties, ...Object.fromEntries(shown) }
}

export type OrderArguments = Static<typeof ORDER_ARGUMENTS>

/** Whether an order has a take-profit or a stop-loss. */
export function isBracket({ take_profit, stop_loss }: OrderArguments): boolean {
  return take_profit !== undefined || stop_loss !== undefined
}

/**
 * Throws invalid_request for the first argument that contradicts another argument, and suggests `asked` with a
 * correction.
 */
export function assertCoherent(
  given: OrderArguments,
  market: MarketView,
  asked: OrderArguments = given,
): void {
  assertPrice(asked, market)
  assertSize(given, market)
  if (isBracket(given)) assertBracket(given)
  const { client_order_id: id, visible_quantity: visible, order_quantity: whole = Infinity } = given
  if (id !== undefined && !CLIENT_ORDER_ID.test(id)) {
    const expected = '1 to 36 letters, digits, _ . or -, not beginning with -'
    throw invalidArgument('client_order_id', 'malformed', { expected })
  }
  if (visible !== undefined && visible > whole) {
    throw invalidArgument('visible_quantity', 'out_of_range', { maximum: whole, suggestion: whole })
  }
}

/**
 * Throws invalid_request unless the order is a LIMIT or MARKET order that may open, because the venue accepts no other
 * brackets.
 */
function assertBracket(given: OrderArguments): void {
  const { order_type: type, reduce_only } = given
  if (type !== 'LIMIT' && type !== 'MARKET') {
    throw invalidArgument('order_type', 'conflicting', {
      allowed: ['LIMIT', 'MARKET'],
      next: 'take_profit and stop_loss go with LIMIT and MARKET orders.',
    })
  }
  if (reduce_only) {
    const next =
      'A reduce-only order opens nothing that take_profit and stop_loss could close. set_position_tp_sl sets them for the position.'
    throw invalidArgument('reduce_only', 'conflicting', { next })
  }
  const alien = (['visible_quantity', 'slippage'] as const).find(
    (name) => given[name] !== undefined,
  )
  if (alien)
    throw invalidArgument(alien, 'conflicting', {
      next: UNSUPPORTED_FIELD_STEPS[alien],
    })
}

const UNSUPPORTED_FIELD_STEPS = {
  visible_quantity:
    'An order with take_profit or stop_loss shows its whole size. Ask the user which of them matters: set_position_tp_sl sets the other two once the order has filled.',
  slippage:
    'An order with take_profit or stop_loss has no slippage: order_type LIMIT with order_price bounds its price, and its rest stays on the book.',
} as const

function assertPrice(given: OrderArguments, { mark }: MarketView): void {
  const { order_type: type, order_price: price } = given
  if (LIMIT_PRICE_TYPES.has(type) === (price !== undefined)) return
  if (price !== undefined) throw marketPriceConflict(given)
  throw invalidArgument('order_price', 'missing', {
    next: `${type} needs a price. MARKET does not.`,
    ...(mark !== null && { mark_price: amountNumber(mark) }),
  })
}

function assertSize(
  { order_quantity: quantity, order_amount: amount }: OrderArguments,
  { base }: MarketView,
): void {
  if (quantity !== undefined && amount !== undefined) {
    throw invalidArgument('order_amount', 'conflicting', {
      next: 'Give order_quantity or order_amount, not both.',
    })
  }
  if (quantity !== undefined || amount !== undefined) return
  const next = `Give order_quantity in ${base}, or order_amount in USDC.`
  throw invalidArgument('order_quantity', 'missing', { next })
}

const CLIENT_ORDER_ID = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/

// Ignoring the price silently would turn an intended limit order into a market order.
function marketPriceConflict(given: OrderArguments) {
  if (given.order_type !== 'MARKET')
    return invalidArgument('order_price', 'conflicting', {
      next: `order_type ${given.order_type} takes the best price of its side: LIMIT or POST_ONLY has a price of its own. Ask the user which is meant.`,
    })
  return invalidArgument('order_price', 'conflicting', {
    next: `A ${given.order_type} order takes no price: suggested has it as a limit.`,
    suggested: { ...given, order_type: 'IOC' },
  })
}
