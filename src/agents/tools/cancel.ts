import { defaultOnFailure } from '../../core/loop/guarded.ts'
import { accountRead, accountWrite, pathWith } from '../account-call.ts'
import { runAudited } from '../audit.ts'
import { ClientFailure } from '../client/client.ts'
import { assertAllowedSymbol } from '../limit-rules.ts'
import { NO_SPENDING } from '../limits/spending.ts'
import { marketWrite } from '../orders/market-write.ts'
import { toToolFailure, withMeta } from '../refusal.ts'
import { totalRows } from '../rows.ts'
import { type SignedContext, ToolFailure } from '../tool.ts'
import {
  argumentSchema,
  flag,
  optional,
  symbolArgument,
  symbolNarrowing,
  wholeNumber,
} from '../tool-arguments.ts'
import { writeTool } from '../tool-kinds.ts'
import { readAlgoTree } from '../views/algo-orders.ts'
import { exactMarket } from '../views/market.ts'

export const cancelOrder = writeTool({
  name: 'cancel_order',
  description:
    'Cancel one resting order; what has filled stays filled. Stops and TP/SL: cancel_algo_order.',
  arguments: argumentSchema({
    order_id: wholeNumber('From list_orders or place_order.', { minimum: 1 }),
    symbol: symbolArgument,
  }),
  effect: 'cancels the whole order',
  otherWays: {
    algo_order_id: 'cancel_algo_order cancels a stop, trailing stop or TP/SL.',
    client_order_id: 'list_orders with client_order_id answers the order_id.',
    base_size: 'edit_order makes an order smaller.',
  },
  idempotent: true,
  hints: {
    not_found:
      'It does not rest in this market: filled, cancelled before, or of another symbol. get_order tells.',
  },
  run: async (context, { order_id, symbol }) => {
    await exactMarket(context, symbol)
    const result = await marketWrite(context, {
      tool: 'cancel_order',
      symbol,
      spending: NO_SPENDING,
      write: {
        method: 'DELETE',
        path: pathWith('/v1/order', { order_id, symbol }),
        lookUp: { tool: 'get_order', arguments: { order_id } },
      },
    }).catch(async (error: unknown) => {
      throw await withConditionalHint(context, error, { order_id, symbol })
    })
    return {
      order_id,
      symbol,
      ...result,
      next: 'get_order shows whether part of it filled before.',
    }
  },
})

/**
 * For a not_found error whose id belongs to a conditional order, returns an error whose meta has the call that cancels
 * the conditional order. Returns any other error unchanged.
 */
async function withConditionalHint(
  context: SignedContext,
  error: unknown,
  { order_id, symbol }: { readonly order_id: number; readonly symbol: string },
): Promise<unknown> {
  const failure = toToolFailure(error)
  if (failure.code !== 'not_found') return error
  const row = await readAlgoTree(context, order_id).catch(
    defaultOnFailure('mcp', null, ClientFailure),
  )
  if (row?.['symbol'] !== symbol) return error
  const call = { tool: 'cancel_algo_order', arguments: { algo_order_id: order_id, symbol } }
  return withMeta(failure, { call, next: CONDITIONAL })
}

const CONDITIONAL = 'Nothing was cancelled: this is a conditional order. Make the call in call.'

export const cancelAllOrders = writeTool({
  name: 'cancel_all_orders',
  description:
    'Cancel every resting order, stop and TP/SL of one market, or without symbol of all. Positions stay open, and lose their stops unless include_algo is false.',
  arguments: argumentSchema({
    symbol: optional(symbolNarrowing),
    include_algo: flag('Also stops and TP/SL.', true),
  }),
  effect: 'cancels the orders of both sides, in the market of symbol or in all markets',
  otherWays: {
    side: 'list_orders has the side of each order, and cancel_order cancels one.',
    order_id: 'cancel_order cancels one order.',
    algo_order_id: 'cancel_algo_order cancels one stop, trailing stop or TP/SL.',
    client_order_id: 'list_orders with client_order_id answers the order_id for cancel_order.',
  },
  idempotent: true,
  run: async (context, { symbol, include_algo }) => {
    if (symbol !== undefined) await exactMarket(context, symbol)
    const call = { method: 'DELETE', path: pathWith('/v1/orders', { symbol }) } as const
    const line = { tool: 'cancel_all_orders', ...(symbol !== undefined && { symbol }), call }
    return runAudited(context, line, async () => {
      assertAllowedSymbol(context, symbol ?? null)
      const open_before = await readOpenCount(context, symbol)
      const orders = await cancelled(context, '/v1/orders', symbol)
      const done = { symbol: symbol ?? 'all', open_before, orders }
      if (!include_algo) return { ...done, algo_orders: 'kept' }
      return {
        ...done,
        algo_orders: await runSecondStep(done, () => algosCancelled(context, symbol)),
      }
    })
  },
})

/** Reads the number of resting orders, without stops. Null if unreadable; the cancel is sent nevertheless. */
async function readOpenCount(
  context: SignedContext,
  symbol: string | undefined,
): Promise<number | null> {
  const query = { status: 'INCOMPLETE', symbol, page: 1, size: 1 }
  return accountRead(context, '/v1/orders', query).then(totalRows, () => null)
}

async function cancelled(context: SignedContext, path: string, symbol: string | undefined) {
  const tool = path === '/v1/orders' ? 'list_orders' : 'list_algo_orders'
  const result = await accountWrite(context, {
    method: 'DELETE',
    path: pathWith(path, { symbol }),
    lookUp: { tool, arguments: { ...(symbol !== undefined && { symbol }) } },
  })
  return result['status'] ?? 'CANCEL_ALL_SENT'
}

/** Cancels conditional orders. A venue without conditional orders is not a failure. */
async function algosCancelled(context: SignedContext, symbol: string | undefined) {
  try {
    return await cancelled(context, '/v1/algo/orders', symbol)
  } catch (error) {
    if (toToolFailure(error).code === 'not_found') return 'none on this venue'
    throw error
  }
}

/** Runs a second step. Its failure also reports the completed first step as `done`. */
async function runSecondStep<T>(
  done: Readonly<Record<string, unknown>>,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw error instanceof ToolFailure ? withMeta(error, { done }) : error
  }
}
