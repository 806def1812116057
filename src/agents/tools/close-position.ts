import { absolute, ONE } from '../../core/decimals.ts'
import type { Row } from '../../core/json.ts'
import { amountNumber, product, roundedToStep, toAmount } from '../../perp/amounts.ts'
import { wholeOnTick } from '../../perp/largest-size.ts'
import { checkOrder } from '../../perp/order-check.ts'
import { MARGIN_MODES, type Position } from '../../perp/positions.ts'
import { bodyText } from '../../perp/write-body.ts'
import { limitsLeft } from '../limits/rows.ts'
import { NO_SPENDING } from '../limits/spending.ts'
import { fillReport } from '../orders/fill-report.ts'
import { marketWrite } from '../orders/market-write.ts'
import { newSendingOrder } from '../orders/send-once.ts'
import { invalidArgument, toToolFailure } from '../refusal.ts'
import type { SignedContext } from '../tool.ts'
import { argumentSchema, choice, decimal, optional, symbolArgument } from '../tool-arguments.ts'
import { writeTool } from '../tool-kinds.ts'
import { openPositions, openPositionsIn } from '../views/account.ts'
import { waitingTriggers } from '../views/algo-orders.ts'

import { exactMarket, type MarketView } from '../views/market.ts'

export const closePosition = writeTool({
  name: 'close_position',
  description:
    'Close a position or a share of it at market; exempt from size limits. Orders stay; stops_left names the stops that stay.',
  arguments: argumentSchema({
    symbol: symbolArgument,
    percent: decimal('Share to close.', {
      minimum: 1,
      maximum: 100,
      default: 100,
    }),
    margin_mode: optional(choice(MARGIN_MODES, 'Absent: both.')),
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
  run: async (context, { symbol, percent, margin_mode }) => {
    const market = await exactMarket(context, symbol)
    const held = await openPositionsIn(context, symbol, margin_mode)
    const parts = held.map((position) => ({
      position,
      quantity: quantityToClose(position, percent, market),
    }))
    const [only, ...others] = parts
    if (only && others.length === 0) return closeShare(context, only.position, only.quantity)
    return closeEach(parts, ({ position, quantity }) => closeShare(context, position, quantity))
  },
})

/** Sends the order that reduces a position by `quantity`, and returns its fill. */
async function closeShare(context: SignedContext, position: Position, quantity: bigint) {
  const { symbol, mode: margin_mode, quantity: held } = position
  const side = held > 0n ? 'SELL' : 'BUY'
  const order = newSendingOrder(context, {
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
        margin_mode,
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
  const before = { position_qty_before: amountNumber(held), closing: amountNumber(quantity) }
  const report = await fillReport(context, result['order_id'], 'MARKET')
  const stops = await stopsLeft(context, symbol)
  const left = await limitsLeft(context, symbol)
  return { ...result, symbol, margin_mode, side, ...before, ...report, ...stops, ...left }
}

/** The market's waiting stops and TP/SL, each with the call that cancels it. */
async function stopsLeft(context: SignedContext, symbol: string): Promise<Row> {
  const waiting = await waitingTriggers(context, symbol)
  if (waiting === null) return { stops_left: null }
  if (waiting.length === 0) return {}
  const cancels = waiting.map(({ algo_order_id }) => ({
    tool: 'cancel_algo_order',
    arguments: { algo_order_id, symbol },
  }))
  return { stops_left: waiting, cancels }
}

const PERCENT = 100n

/**
 * The quantity that closes a percentage of a position, rounded down to the tick. Throws invalid_request for a part below
 * the market's smallest order.
 */
function quantityToClose(
  { quantity, mark }: Position,
  percent: number,
  market: MarketView,
): bigint {
  const held = absolute(quantity)
  const share = toAmount(percent) ?? PERCENT * ONE
  if (share === PERCENT * ONE) return wholeOnTick(held, market.baseTick)
  const part = roundedToStep(product(held, share) / PERCENT, market.baseTick, 'floor')
  const side = quantity > 0n ? 'SELL' : 'BUY'
  const order = { side, price: null, quantity: part, reference: mark, reduceOnly: true } as const
  const { broken, corrected } = checkOrder(market, { ...order, closable: held })
  if (part > 0n && broken.length === 0) return part
  throw invalidArgument('percent', 'out_of_range', {
    next: 'That share is less than the smallest order of this market. Nothing was sent: ask the user whether to close more.',
    smallest_quantity: amountNumber(corrected.quantity),
    position_qty: amountNumber(held),
  })
}

export const closeAll = writeTool({
  name: 'close_all',
  title: 'Close all positions',
  description: 'Close every position at market. Orders stay.',
  arguments: argumentSchema({}),
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
    const open = (await openPositions(context)).map((position) => ({ position }))
    return closeEach(open, async ({ position }) => {
      const market = await exactMarket(context, position.symbol)
      const { position_qty_before, status, filled_quantity, unfilled_quantity, ...order } = {
        filled_quantity: null,
        unfilled_quantity: null,
        ...(await closeShare(
          context,
          position,
          wholeOnTick(absolute(position.quantity), market.baseTick),
        )),
      }
      const { symbol, mode } = position
      const fill = { status, filled_quantity, unfilled_quantity }
      return { symbol, margin_mode: mode, position_qty_before, ...fill, order }
    })
  },
})

/** Closes positions one after the other, and continues after a failure. */
async function closeEach<Each extends { readonly position: Position }>(
  parts: readonly Each[],
  close: (part: Each) => Promise<object>,
) {
  const closed: object[] = []
  const failed: object[] = []
  for (const part of parts) {
    try {
      closed.push(await close(part))
    } catch (error) {
      const { symbol, mode: margin_mode } = part.position
      const { code, message, meta } = toToolFailure(error)
      failed.push({ symbol, margin_mode, code, error: message, meta })
    }
  }
  return { closed, failed, next: nextAfterClosing(parts.length, failed.length) }
}

function nextAfterClosing(open: number, failed: number): string {
  if (open === 0) return 'There was no open position. Nothing was sent.'
  return failed === 0
    ? 'list_positions shows whether anything is left.'
    : 'Tell the user which are still open, and why.'
}
