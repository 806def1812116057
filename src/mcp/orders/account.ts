import { ClientFailure } from '../../client/client.ts'
import { isObject, type Row, rowsAt } from '../../core/json.ts'
import { toAmount } from '../../perp/amounts.ts'
import type { MarginMode, Side } from '../../perp/positions.ts'
import { accountRead } from '../account-call.ts'
import { invalidArgument } from '../refusal.ts'
import { figure } from '../rows.ts'
import type { SignedContext } from '../tool.ts'
import { type AccountView, accountView } from '../views/account.ts'
import { leverageIn, marginModeNow } from '../views/leverage.ts'
import type { Market } from '../views/market.ts'

/** An account as an order of one market meets it. */
export type OrderAccount = AccountView & {
  /** The margin mode that the order will have. */
  readonly mode: MarginMode
  /** The mode that the order asks for, where the market's open position or orders have the other one. */
  readonly otherMode: MarginMode | null
  /** The leverage to compute with, and the leverage that is set. */
  readonly leverage: number
  readonly leverageSet: number
  /** The account's row of the market, whether or not a position is open. */
  readonly row: Row | null
  /** The account's open orders in the market. */
  readonly orders: readonly OpenOrder[]
  readonly mark: bigint | null
}

export type OpenOrder = {
  readonly side: Side
  readonly price: bigint
  readonly left: bigint
  readonly reduceOnly: boolean
}

type Asked = {
  readonly margin_mode?: MarginMode | undefined
  readonly leverage?: number | undefined
}

/** How many open orders of a market are read at most: as many as an account may have. */
const ORDERS_MAX = 500

/** Reads an account for an order. Throws invalid_request for a leverage that the market does not allow. */
export async function orderAccount(
  context: SignedContext,
  market: Market,
  asked: Asked,
): Promise<OrderAccount> {
  const { symbol, maxLeverage } = market
  if (asked.leverage !== undefined && asked.leverage > maxLeverage) {
    throw invalidArgument('leverage', 'out_of_range', {
      maximum: maxLeverage,
      suggestion: maxLeverage,
    })
  }
  const view = await accountView(context)
  const listed = view.rows.find((row) => row['symbol'] === symbol)
  const [row, used, orders] = await Promise.all([
    listed ?? positionRow(context, symbol),
    marginModeNow(context, symbol, view.rows),
    listed ? openOrders(context, symbol) : [],
  ])
  const mode = listed ? used : (asked.margin_mode ?? used)
  const set = await leverageIn(context, symbol, mode)
  const leverageSet = Math.min(set ?? (figure(view.info, 'max_leverage') || 1), maxLeverage)
  return {
    ...view,
    mode,
    otherMode: asked.margin_mode !== undefined && asked.margin_mode !== mode ? mode : null,
    leverage: asked.leverage ?? leverageSet,
    leverageSet,
    row,
    orders,
    mark: toAmount(row?.['mark_price']) || market.mark,
  }
}

/** The venue's own row of a market where nothing is open: its mark is of this moment. Null where the venue has none. */
async function positionRow(context: SignedContext, symbol: string): Promise<Row | null> {
  try {
    const row = await accountRead(context, `/v1/position/${symbol}`)
    return isObject(row) ? row : null
  } catch (error) {
    if (error instanceof ClientFailure) return null
    throw error
  }
}

async function openOrders(context: SignedContext, symbol: string): Promise<readonly OpenOrder[]> {
  const query = { symbol, status: 'INCOMPLETE', page: 1, size: ORDERS_MAX }
  const rows = rowsAt(await accountRead(context, '/v1/orders', query), 'rows')
  return rows.map((row) => ({
    side: row['side'] === 'SELL' ? 'SELL' : 'BUY',
    price: toAmount(row['price']) ?? 0n,
    left: leftOf(row),
    reduceOnly: row['reduce_only'] === true,
  }))
}

function leftOf(row: Row): bigint {
  return (toAmount(row['quantity']) ?? 0n) - (toAmount(row['total_executed_quantity']) ?? 0n)
}
