import { type Row, rowsAt } from '../../core/json.ts'
import { amountNumber, toAmount, toUsdcNumber } from '../../perp/amounts.ts'
import type { Book } from '../../perp/book.ts'
import { dailyMove, MOVE_DAYS, movesBetween } from '../../perp/daily-move.ts'
import { isBeyondLiquidation } from '../../perp/liquidation-price.ts'
import { checkOrder } from '../../perp/order-check.ts'
import { type MarketNow, type Order, referencePrice } from '../../perp/order-match.ts'
import { liquidationOnceFilled, lossAtStop, quantityAtRisk } from '../../perp/stop-risk.ts'
import { invalidArgument, toolRefusal } from '../refusal.ts'
import type { ToolContext } from '../tool.ts'
import { argumentAmount } from '../tool-arguments.ts'
import type { MarketView } from '../views/market.ts'
import type { PreviewAccount } from './account.ts'
import type { OrderArguments } from './arguments.ts'

/** An amount at risk in USDC. `dailyMove`: the market's mean daily move as a fraction; null without a complete day. */
export type Risk = { readonly usdc: bigint; readonly dailyMove: number | null }

/** Reads how far a market moves a day, for an amount at risk in USDC. Throws invalid_request for an unreadable amount. */
export async function readRisk(
  { client }: ToolContext,
  symbol: string,
  risk: number,
): Promise<Risk> {
  const usdc = argumentAmount('risk_usdc', risk)
  const query = { symbol, interval: '1d', limit: String(MOVE_DAYS + 1) }
  const days = rowsAt(await client.get('/api/prep/candles', query), 'rows')
  // The last day is not over.
  return { usdc, dailyMove: dailyMove(days.slice(0, -1).map(dayRange)) }
}

function dayRange({ open, high, low }: Row) {
  return { open: Number(open), high: Number(high), low: Number(low) }
}

/**
 * The arguments of an order with the largest size that loses at most `risk` at its stop_loss. Throws invalid_request if
 * the arguments have a size, or if the stop is missing or on the wrong side. Throws notional_too_small if even the
 * market's smallest order loses more.
 */
export function sizedByRisk(
  market: MarketView,
  given: OrderArguments,
  { usdc: risk }: Risk,
  { book, account }: { readonly book: Book; readonly account: PreviewAccount },
): OrderArguments {
  const { order_quantity, order_amount, stop_loss } = given
  if (order_quantity !== undefined || order_amount !== undefined)
    throw invalidArgument('risk_usdc', 'conflicting', { next: ONE_SIZE })
  const stop = toAmount(stop_loss)
  if (stop === null) throw invalidArgument('stop_loss', 'missing', { next: NEEDS_STOP })
  const { takerFee } = account
  if (takerFee === null) throw toolRefusal('upstream_unavailable', { next: NO_FEE })
  const priced = { ...account, takerFee }
  const now: MarketNow = { ...market, mark: account.mark, book }
  const order = openingOrder(market, given, account)
  const quantity = quantityAtRisk(now, order, { stop, risk }, priced)
  const reference = referencePrice({ mark: market.mark, book }, order) ?? 0n
  const { corrected } = checkOrder(market, { ...order, quantity, reference, closable: null })
  if (quantity > 0n && corrected.quantity <= quantity)
    return { ...given, order_quantity: amountNumber(quantity) }
  const smallest = corrected.quantity
  const loss = lossAtStop(now, { ...order, quantity: smallest }, stop, priced)
  if (loss <= risk)
    throw invalidArgument('stop_loss', 'out_of_range', {
      expected: `A price ${given.side === 'BUY' ? 'below' : 'above'} that of the order.`,
    })
  throw toolRefusal('notional_too_small', {
    ...{ parameter: 'risk_usdc', smallest_quantity: amountNumber(smallest) },
    ...{ loss_at_stop_usdc: toUsdcNumber(loss), next: TOO_LITTLE },
  })
}

const ONE_SIZE = 'Give one of order_quantity, order_amount and risk_usdc.'
const NO_FEE =
  'The venue does not say the fee rate of the account now, so what a stop loses is unknown. Call again, or give order_quantity.'
const NEEDS_STOP = 'risk_usdc is lost at stop_loss: give the mark price of the stop too.'
const TOO_LITTLE =
  'At this stop even the smallest order loses more than risk_usdc. Ask the user for another stop or risk.'

/** The order at its corrected price, because it may lose more at the stop than at the given price. */
function openingOrder(
  market: MarketView,
  { side, order_type, order_price }: OrderArguments,
  { mode }: PreviewAccount,
): Omit<Order, 'quantity'> {
  const price = toAmount(order_price)
  const order = { side, type: order_type, mode, reduceOnly: false, slippage: null }
  const unsized = { ...order, price, quantity: 0n, reference: price ?? 0n, closable: null }
  return { ...order, price: checkOrder(market, unsized).corrected.price }
}

/** The problem of a stop beyond the liquidation price of the completely filled order; null if the stop is reached first. */
export function beyondLiquidation(
  market: MarketNow,
  order: Order,
  stop: bigint | null,
  account: PreviewAccount | null,
) {
  const liquidation = account && stop !== null && liquidationOnceFilled(market, order, account)
  if (!liquidation) return null
  if (!isBeyondLiquidation(order.side, stop, liquidation)) return null
  return {
    code: 'price_out_of_range',
    rule: 'liquidation',
    parameter: 'stop_loss',
    given: amountNumber(stop),
    limit: amountNumber(liquidation),
  } as const
}

/** The preview's member `risk`: the loss at the stop and the distance to liquidation. Empty if the caller named no risk. */
export function riskMember(
  market: MarketNow,
  order: Order,
  stop: bigint | null,
  account: PreviewAccount | null,
  risk: Risk | null,
) {
  if (!account || !risk || stop === null) return {}
  const liquidation = liquidationOnceFilled(market, order, account)
  const { takerFee } = account
  const loss = takerFee === null ? null : lossAtStop(market, order, stop, { ...account, takerFee })
  const movesTo = (price: bigint | null) =>
    rounded(movesBetween(market.mark, price, risk.dailyMove))
  return {
    risk: {
      risk_usdc: toUsdcNumber(risk.usdc),
      loss_at_stop_usdc: loss === null ? null : toUsdcNumber(loss),
      est_liq_price: liquidation === null ? null : amountNumber(liquidation),
      daily_move_pct: risk.dailyMove === null ? null : rounded(risk.dailyMove * 100),
      stop_distance_daily_moves: movesTo(stop),
      liq_distance_daily_moves: movesTo(liquidation),
      note: RISK_NOTE,
    },
  }
}

const RISK_NOTE =
  'Of this order alone, with the fees of both fills; a stop closes at the market, which may be worse than its trigger. A daily move is the mean from low to high of 14 days.'

function rounded(value: number | null): number | null {
  return value === null ? null : Number(value.toFixed(2))
}
