import type { World } from '../world.ts'
import type { LiquidationRow, OrderRow, RecordJournal } from './records.ts'

/**
 * Every finished order that cannot have come about, and every liquidation that handed over more than there was, in words;
 * none when histories are sound.
 */
export function checkFinished({ exchange }: World, keeper: RecordJournal): string[] {
  const orders = exchange.accounts
    .filter(({ kind }) => kind === 'user')
    .flatMap((account) => keeper.of(account).orders)
  return [
    ...orders.filter(isImpossible).map(({ id }) => `order ${id} ended overfilled or half filled`),
    ...keeper.liquidations
      .filter(isTooMuch)
      .map(({ id }) => `liquidation ${id} handed over more than was held`),
  ]
}

/** No order fills beyond its quantity, and one that is FILLED filled all of it. */
function isImpossible({ status, executed, quantity }: OrderRow): boolean {
  return executed > quantity || executed < 0 || (status === 'FILLED' && executed !== quantity)
}

function isTooMuch({ takeovers }: LiquidationRow): boolean {
  return takeovers.some(({ quantity, held }) => Math.abs(quantity) > Math.abs(held))
}
