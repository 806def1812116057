import { absolute, ONE } from '../../core/decimals.ts'
import { amountNumber, onStep, times, toAmount } from '../../perp/amounts.ts'
import { bodyText } from '../account-call.ts'
import { writeTool } from '../agent-tool.ts'
import { limitsLeft } from '../limits/rows.ts'
import { NO_SPENDING } from '../limits/spending.ts'
import { fillReport } from '../orders/filled.ts'
import { marketWrite } from '../orders/market-write.ts'
import { newOrder } from '../orders/sent.ts'
import { invalidArgument, toolFailureOf } from '../refusal.ts'
import type { SignedContext } from '../tool.ts'
import { args, decimal, symbolArgument } from '../tool-arguments.ts'
import { heldIn, heldQuantity, openPositions } from '../views/account.ts'
import { exactMarket, type Market } from '../views/market.ts'

export const closePosition = writeTool({
  name: 'close_position',
  description:
    'Close an open position, all of it or a share, with a reduce-only market order, exempt from size limits. Orders and stops stay.',
  arguments: args({
    symbol: symbolArgument,
    percent: decimal('Share to close in percent, 1-100.', {
      minimum: 1,
      maximum: 100,
      default: 100,
    }),
  }),
  effect: 'closes the share of percent, by default all of the position, at the market',
  otherWays: {
    base_size: 'place_order with reduce_only and order_quantity closes a part by its size.',
    usdc_size: 'place_order with reduce_only and order_amount closes a part by its value.',
    price: 'place_order with reduce_only, order_type and order_price closes at a price.',
    bound:
      'place_order with reduce_only, order_type IOC and order_price trades no further than that price.',
    slippage: 'place_order with reduce_only and slippage bounds the price.',
    slippage_unclear: 'place_order with reduce_only and slippage bounds the price.',
    order_type: 'place_order with reduce_only takes an order_type.',
    trigger: 'place_algo_order closes when a price is reached.',
    dry_run: 'preview_order with reduce_only sends nothing.',
  },
  idempotent: false,
  run: async (context, { symbol, percent }) => {
    const market = await exactMarket(context, symbol)
    const held = await heldQuantity(context, symbol)
    return closeShare(context, market, held, shareOf(absolute(held), percent, market))
  },
})

/** Sends the order that reduces a position by `quantity`, and answers its fill. */
async function closeShare(
  context: SignedContext,
  { symbol }: Market,
  held: bigint,
  quantity: bigint,
) {
  const side = held > 0n ? 'SELL' : 'BUY'
  const order = newOrder(context, {
    symbol,
    path: '/v1/order',
    content: (client_order_id) =>
      bodyText({
        symbol,
        client_order_id,
        side,
        order_type: 'MARKET',
        order_quantity: quantity,
        reduce_only: true,
      }),
  })
  const { path, content: body, lookUp } = order
  const result = await marketWrite(context, {
    tool: 'close_position',
    symbol,
    side,
    quantity,
    order,
    spending: NO_SPENDING,
    write: { method: 'POST', path, body, lookUp },
  })
  const position = { position_qty_before: amountNumber(held), closing: amountNumber(quantity) }
  const report = await fillReport(context, result['order_id'], 'MARKET')
  return { ...result, symbol, side, ...position, ...report, ...(await limitsLeft(context, symbol)) }
}

const PERCENT = 100n

/** All of it exactly, or a share on the step of the market. */
function shareOf(held: bigint, percent: number, { baseTick, baseMin }: Market): bigint {
  const share = toAmount(percent) ?? PERCENT * ONE
  if (share === PERCENT * ONE) return held
  const quantity = onStep(times(held, share) / PERCENT, baseTick, 'floor')
  if (quantity > 0n && quantity >= baseMin) return quantity
  throw invalidArgument('percent', 'out_of_range', {
    next: 'That share is less than the smallest size of this market. Nothing was sent: ask the user whether to close more.',
    smallest_quantity: amountNumber(baseMin),
    position_qty: amountNumber(held),
  })
}

export const closeAll = writeTool({
  name: 'close_all',
  title: 'Close all positions',
  description: 'Close every open position at the market. Orders stay.',
  arguments: args({}),
  effect: 'closes the positions of all markets, whole and at the market',
  otherWays: {
    market: 'close_position closes one market.',
    percent: 'close_position with percent closes a share of one market.',
    fraction: 'close_position with percent closes a share of one market.',
    side: 'list_positions has the side of each position, and close_position closes one.',
    dry_run: 'list_positions shows what would close.',
  },
  idempotent: false,
  run: async (context) => {
    const open = await openPositions(context)
    const closed: object[] = []
    const failed: object[] = []
    for (const row of open) {
      const symbol = String(row['symbol'])
      try {
        closed.push(await closeWhole(context, symbol, heldIn(open, symbol)))
      } catch (error) {
        const { code, message, meta } = toolFailureOf(error)
        failed.push({ symbol, code, error: message, meta })
      }
    }
    return { closed, failed, next: nextOf(open.length, failed.length) }
  },
})

async function closeWhole(context: SignedContext, symbol: string, held: bigint) {
  const market = await exactMarket(context, symbol)
  const { status, filled_quantity, unfilled_quantity, ...order } = {
    filled_quantity: null,
    unfilled_quantity: null,
    ...(await closeShare(context, market, held, absolute(held))),
  }
  const position_qty_before = amountNumber(held)
  return { symbol, position_qty_before, status, filled_quantity, unfilled_quantity, order }
}

function nextOf(open: number, failed: number): string {
  if (open === 0) return 'There was no open position: nothing was sent.'
  return failed === 0
    ? 'list_positions shows whether anything is left.'
    : 'Tell the user which are still open, and why.'
}
