import type { Static } from '@sinclair/typebox'
import { amountNumber, toAmount } from '../../perp/amounts.ts'
import { parseStrict } from '../../perp/strict-json.ts'
import { bodyText } from '../../perp/write-body.ts'
import { parseWrite } from '../../perp/write-effects.ts'
import { NO_SPENDING, openingSpending, type Spending } from '../limits/spending.ts'
import { invalidArgument } from '../refusal.ts'
import {
  argumentAmount,
  argumentSchema,
  choice,
  flag,
  optional,
  positiveNumber,
  sideArgument,
  symbolArgument,
  text,
} from '../tool-arguments.ts'
import type { MarketView } from '../views/market.ts'
import { assertNoProblem, checkedOrder, checkedTrigger, repairMeta } from './check.ts'

/** The arguments of a stop or trailing stop. */
export const ALGO_ARGUMENTS = argumentSchema({
  symbol: symbolArgument,
  side: sideArgument,
  algo_type: choice(
    ['STOP', 'TRAILING_STOP'],
    'STOP needs trigger_price, TRAILING_STOP callback_rate.',
  ),
  order_quantity: positiveNumber('Size in the base asset.'),
  trigger_price: optional(positiveNumber('Mark price that fires a STOP, USDC.')),
  order_price: optional(positiveNumber('Limit price of a STOP. Absent: market.')),
  callback_rate: optional(
    positiveNumber('Distance of a TRAILING_STOP, a fraction (0.05 = 5%).', { maximum: 0.5 }),
  ),
  reduce_only: flag('Only shrink a position.', true),
  client_order_id: optional(text('Your own id.', { maxLength: 36 })),
})

export type AlgoArguments = Static<typeof ALGO_ARGUMENTS>

/**
 * Throws the failure of the first rule that a conditional order breaks, and suggests `asked` with corrections. Triggers
 * are checked for tick and bounds only; they may be at any distance from the mark price.
 */
export function assertAlgoRules(
  market: MarketView,
  given: AlgoArguments,
  asked: object = given,
): void {
  const { side, reduce_only } = given
  const quantity = argumentAmount('order_quantity', given.order_quantity)
  const trigger = toAmount(given.trigger_price)
  const limit = toAmount(given.order_price)
  const reference = limit ?? trigger ?? market.mark ?? 0n
  if (reference === 0n && !reduce_only)
    throw invalidArgument('algo_type', 'conflicting', { next: UNPRICED })
  const unmarked = { ...market, mark: null }
  const order = { side, price: limit, quantity, reference, reduceOnly: reduce_only }
  // The position that a waiting order will close is not known yet.
  const priced = checkedOrder(unmarked, { ...order, closable: null })
  const triggered = checkedTrigger(market, side, trigger)
  const problems = [...priced.problems, ...triggered.problems]
  const corrections = problems.map(({ parameter, suggestion }) => [parameter, suggestion])
  const check = { ...priced, problems, wider: priced.wider ?? triggered.wider }
  const suggested = { ...asked, ...Object.fromEntries(corrections) }
  assertNoProblem(problems, () => repairMeta(check, market.base, suggested))
}

const UNPRICED =
  'This market has no price now: a TRAILING_STOP can only reduce. Ask the user for the trigger_price of a STOP.'

/** The amounts of a conditional order for limits, computed from the exact body that is sent. */
export function algoSpending(market: MarketView, given: AlgoArguments): Spending {
  const write = parseWrite('POST /v1/algo/order', parseStrict(algoBody(given, '')))
  const [order] = write.kind === 'opens' ? write.orders : []
  return order ? openingSpending(market, order) : NO_SPENDING
}

/** The body for the venue. Its fields are in snake case, but a trailing stop's callback rate is in camel case and a string. */
export function algoBody(given: AlgoArguments, clientOrderId: string): string {
  const limit = toAmount(given.order_price)
  const callback = toAmount(given.callback_rate)
  return bodyText({
    symbol: given.symbol,
    client_order_id: clientOrderId,
    algo_type: given.algo_type,
    type: limit === null ? 'MARKET' : 'LIMIT',
    side: given.side,
    quantity: argumentAmount('order_quantity', given.order_quantity),
    price: limit,
    trigger_price: toAmount(given.trigger_price),
    trigger_price_type: given.algo_type === 'STOP' ? 'MARK_PRICE' : undefined,
    callbackRate: callback && String(amountNumber(callback)),
    reduce_only: given.reduce_only,
  })
}
