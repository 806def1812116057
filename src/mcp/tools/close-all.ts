import { writeTool } from '../agent-tool.ts'
import { absolute, amountNumber } from '../amounts.ts'
import { toolFailureOf } from '../refusal.ts'
import type { SignedContext } from '../tool.ts'
import { args } from '../tool-arguments.ts'
import { heldIn, openPositions } from '../views/account.ts'
import { exactMarket } from '../views/market.ts'
import { closeShare } from './close-position.ts'

export const closeAll = writeTool({
  name: 'close_all',
  title: 'Close all positions',
  description: 'Close every open position at the market. Orders stay.',
  arguments: args({}),
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
