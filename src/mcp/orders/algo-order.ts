import type { Static } from '@sinclair/typebox'
import { larger } from '../../core/decimals.ts'
import { amountNumber, times, toAmount, toMicros } from '../../perp/amounts.ts'
import { worsened } from '../../perp/book.ts'
import { needsValue } from '../../perp/limits.ts'
import { bodyText } from '../account-call.ts'
import { limitsOf } from '../limit-rules.ts'
import { NO_SPENDING, type Spending } from '../limits/spending.ts'
import { invalidArgument, limitRefusal } from '../refusal.ts'
import type { SignedContext } from '../tool.ts'
import {
  args,
  choice,
  flag,
  optional,
  positive,
  sideArgument,
  symbolArgument,
  text,
} from '../tool-arguments.ts'
import type { Market } from '../views/market.ts'
import { assertNoProblem, checkedOrder } from './check.ts'

/** The arguments of a stop or trailing stop. */
export const ALGO_ARGUMENTS = args({
  symbol: symbolArgument,
  side: sideArgument,
  algo_type: choice(
    ['STOP', 'TRAILING_STOP'],
    'STOP needs trigger_price, TRAILING_STOP callback_rate.',
  ),
  order_quantity: positive('Size in the base asset.'),
  trigger_price: optional(positive('Mark price that fires a STOP, USDC.')),
  order_price: optional(positive('Limit price of a STOP. Absent: market.')),
  callback_rate: optional(
    positive('Distance of a TRAILING_STOP, a fraction (0.05 = 5%).', { maximum: 0.5 }),
  ),
  reduce_only: flag('Only shrink a position.', true),
  client_order_id: optional(text('Your own id.', { maxLength: 36 })),
})

export type AlgoArguments = Static<typeof ALGO_ARGUMENTS>

const NO_MARK = 'This market has no price now that would value an order without one.'

/**
 * Throws the failure of the first rule that a conditional order breaks, with `asked` corrected. The trigger may be anywhere: only steps
 * and bounds are checked, not the distance from the mark.
 */
export function assertAlgoRules(market: Market, given: AlgoArguments, asked: object = given): void {
  const { side, reduce_only } = given
  const quantity = toAmount(given.order_quantity) ?? 0n
  const trigger = toAmount(given.trigger_price)
  const limit = toAmount(given.order_price)
  const reference = limit ?? trigger ?? market.mark ?? 0n
  const unmarked = { ...market, mark: null }
  // Which position a waiting order will close is not known yet, so that any size may close it.
  const order = { side, quantity, reference }
  const priced = checkedOrder(unmarked, { ...order, price: limit, closes: reduce_only ? 0n : null })
  const triggered = checkedOrder(unmarked, { ...order, price: trigger, closes: 0n })
  const triggers = triggered.problems
    .filter(({ parameter }) => parameter === 'order_price')
    .map((problem) => ({ ...problem, parameter: 'trigger_price' as const }))
  const problems = [...priced.problems, ...triggers]
  const corrections = problems.map(({ parameter, suggestion }) => [parameter, suggestion])
  assertNoProblem(problems, () => ({
    suggested: { ...asked, ...Object.fromEntries(corrections) },
  }))
}

/**
 * A stop counts at its limit when it buys, otherwise after a jump of the mark over its trigger by the market's price range,
 * from which it may execute as far away again. Throws mandate_exceeded for a trailing stop that opens within limits of value.
 */
export function algoSpending(
  context: SignedContext,
  market: Market,
  given: AlgoArguments,
): Spending {
  if (given.reduce_only) return NO_SPENDING
  const isTrailing = given.algo_type === 'TRAILING_STOP'
  if (isTrailing && needsValue(limitsOf(context)))
    throw limitRefusal({ reason: 'unknown', next: NO_WORST_CASE })
  const quantity = toAmount(given.order_quantity) ?? 0n
  const limit = toAmount(given.order_price)
  const prices = [toAmount(given.trigger_price), limit, market.mark]
  const highest = prices.map((price) => price ?? 0n).reduce(larger)
  if (highest === 0n) throw invalidArgument('order_price', 'missing', { next: NO_MARK })
  const reached = [0, 1].reduce((price) => worsened(price, market.priceRange ?? 0n, 'BUY'), highest)
  const isBounded = given.side === 'BUY' && limit !== null
  const micros = toMicros(times(quantity, isBounded ? limit : reached, 'ceil'))
  return { kind: 'opens', order: isTrailing ? ANY_MICROS : micros, daily: micros }
}

/** The notional value of a trailing stop, which may execute at any price: above every limit. */
const ANY_MICROS = 10n ** 18n

const NO_WORST_CASE =
  'A trailing stop that opens has no worst case. Use a STOP with order_price, or reduce_only.'

/** The venue's body: snake case, but the callback rate of trailing stops in camel case and as text. */
export function algoBody(given: AlgoArguments, clientOrderId: string): string {
  const limit = toAmount(given.order_price) ?? undefined
  return bodyText({
    symbol: given.symbol,
    client_order_id: clientOrderId,
    algo_type: given.algo_type,
    type: limit === undefined ? 'MARKET' : 'LIMIT',
    side: given.side,
    quantity: toAmount(given.order_quantity) ?? 0n,
    price: limit,
    trigger_price: toAmount(given.trigger_price) ?? undefined,
    trigger_price_type: given.algo_type === 'STOP' ? 'MARK_PRICE' : undefined,
    callbackRate:
      given.callback_rate === undefined
        ? undefined
        : String(amountNumber(toAmount(given.callback_rate) ?? 0n)),
    reduce_only: given.reduce_only,
  })
}
