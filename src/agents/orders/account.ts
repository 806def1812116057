import { isObject, rowsAt } from '../../core/json.ts'
import { toAmount } from '../../perp/amounts.ts'
import { estimatedFees } from '../../perp/fee-rates.ts'
import {
  type OrderAccount,
  toMarginAccount,
  type UnreadablePart,
  unreadablePart,
} from '../../perp/margin-account.ts'
import type { MarginMode } from '../../perp/positions.ts'
import { accountRead } from '../account-call.ts'
import { ClientFailure } from '../client/client.ts'
import { invalidArgument, toolRefusal } from '../refusal.ts'
import { figure } from '../rows.ts'
import type { SignedContext } from '../tool.ts'
import { accountView } from '../views/account.ts'
import { defaultMarginMode, leverageIn } from '../views/leverage.ts'
import type { MarketView } from '../views/market.ts'
import { readRwaMarkets } from '../views/session.ts'

/** An account for checking an order, in the order's market and margin mode. */
export type PreviewAccount = OrderAccount & {
  /** The margin mode of the order. */
  readonly mode: MarginMode
  /** The leverage for the computation. `leverageSet`: the leverage that is set at the venue. */
  readonly leverage: number
  readonly leverageSet: number
  readonly mark: bigint | null
}

type PreviewAccountOptions = {
  readonly margin_mode?: MarginMode | undefined
  readonly leverage?: number | undefined
  readonly reduce_only: boolean
}

/** Maximum number of open orders read per market; an account may not have more. */
const ORDERS_MAX = 500

/**
 * Reads an account for an order. While the account's margin is unknown, returns null for a reduce-only order, which
 * needs no margin, and throws upstream_unavailable for other orders. Throws invalid_request for a leverage that the
 * market does not allow.
 */
export async function previewAccount(
  context: SignedContext,
  market: MarketView,
  asked: PreviewAccountOptions,
): Promise<PreviewAccount | null> {
  const { symbol, maxLeverage, baseImr, baseMmr } = market
  if (asked.leverage !== undefined && asked.leverage > maxLeverage) {
    throw invalidArgument('leverage', 'out_of_range', {
      maximum: maxLeverage,
      suggestion: maxLeverage,
    })
  }
  const { info, answers, positions, positionsAnswer } = await accountView(context)
  const listed = positions.find((row) => row.symbol === symbol)
  const [rwaMarkets, mark, mode, orders] = await Promise.all([
    readRwaMarkets(context),
    listed?.mark ?? readMarkPrice(context, symbol),
    asked.margin_mode ?? defaultMarginMode(context, symbol),
    listed ? openOrders(context, symbol) : [],
  ])
  const set = await leverageIn(context, symbol, mode)
  const leverageSet = Math.min(set ?? (figure(info, 'max_leverage') || 1), maxLeverage)
  const leverage = asked.leverage ?? leverageSet
  const factors = info['imr_factor']
  const rates = { baseImr, baseMmr, imrFactor: isObject(factors) ? figure(factors, symbol) : 0 }
  const rows = rowsAt(positionsAnswer, 'rows')
  const found = toMarginAccount(answers, rows, orders)
  if (!found) {
    assertReduceOnly(asked, unreadablePart(rows, orders))
    return null
  }
  const { fees, ...account } = found
  return {
    ...account,
    ...estimatedFees(fees, symbol, rwaMarkets),
    rates: { ...rates, leverage },
    ratesNow: { ...rates, leverage: leverageSet },
    mode,
    leverage,
    leverageSet,
    mark: mark || market.mark,
  }
}

/** Throws upstream_unavailable, naming the part by which the margin is unknown, unless the order is reduce-only. */
function assertReduceOnly(asked: PreviewAccountOptions, { part, name }: UnreadablePart): void {
  if (asked.reduce_only) return
  const missing = {
    collateral: 'the collateral of the account',
    position: `a margin figure of the position in ${name}`,
    order: `the quantity of open order ${name}`,
  }
  const next = `The venue's answer lacks ${missing[part]}, so the margin is unknown. Call again; if it goes on, tell the user.`
  throw toolRefusal('upstream_unavailable', { next })
}

/** Reads the current mark price of a market without a position; null if the venue does not give a price. */
async function readMarkPrice(context: SignedContext, symbol: string): Promise<bigint | null> {
  try {
    const row = await accountRead(context, `/v1/position/${symbol}`)
    return isObject(row) ? toAmount(row['mark_price']) : null
  } catch (error) {
    if (error instanceof ClientFailure) return null
    throw error
  }
}

async function openOrders(context: SignedContext, symbol: string) {
  const query = { symbol, status: 'INCOMPLETE', page: 1, size: ORDERS_MAX }
  return rowsAt(await accountRead(context, '/v1/orders', query), 'rows')
}
