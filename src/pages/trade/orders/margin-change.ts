import { absolute, larger, PER_MICRO, smaller } from '../../../core/decimals.ts'
import { product } from '../../../perp/amounts.ts'
import { liquidationPrice } from '../../../perp/liquidation-price.ts'
import { marketState } from '../../../perp/margin-account.ts'
import { maxNotional, type RateTerms } from '../../../perp/margin-rates.ts'
import { marketMargin } from '../../../perp/market-state.ts'
import type { MarketNow } from '../../../perp/order-match.ts'
import type { AccountPosition } from '../account/rows.ts'
import type { TicketAccount } from './ticket-account.ts'

/** The account in a market after a change of its leverage or margin mode. */
export type MarginAfter = {
  /** Initial margin of the position and the open orders. */
  readonly margin: bigint
  readonly free: bigint
  /** The maximum notional value of position and orders; null if unknown. */
  readonly notionalMax: bigint | null
  /** The reason why the venue would refuse the change; null if it would accept it. */
  readonly excess: 'margin' | 'leverage' | null
}

/** The state after a change of leverage, for a market without isolated positions. */
export function atLeverage(
  { symbol, mark }: MarketNow,
  account: TicketAccount,
  leverage: number,
): MarginAfter {
  const { rates, mode, free } = account
  const wanted = { ...rates, leverage }
  const state = marketState(account, symbol, mode)
  const at = (terms: RateTerms) => marketMargin(state, { ...terms, mark: mark ?? 0n })
  const { initial: margin, notionalWithOrders } = at(wanted)
  const left = larger(0n, free) + at(rates).initial - margin
  const notionalMax = maxNotional(wanted)
  const isBeyond = notionalMax !== null && notionalWithOrders > notionalMax
  const excess = left < 0n ? 'margin' : isBeyond ? 'leverage' : null
  return { margin, free: larger(0n, left), notionalMax, excess }
}

/** The margin that can be moved out of an isolated position, by the venue's formula. */
export function spareMargin({ size, mark, margin, unsettled, leverage }: AccountPosition): bigint {
  const needed = product(absolute(size), mark) / BigInt(Math.max(1, Number(leverage)))
  // Subtracts one micro-USDC, because the venue's rounding may differ by that amount.
  return larger(0n, smaller(margin, margin + unsettled) - needed - PER_MICRO)
}

/** The liquidation price of an isolated position after its margin changes by `amount`; null if it is never liquidated. */
export function liquidationAfter(
  terms: RateTerms,
  { size, mark, margin, unsettled }: AccountPosition,
  amount: bigint,
): bigint | null {
  const collateral = margin + unsettled + amount
  const held = { mode: 'ISOLATED', terms, quantity: size, mark, collateral } as const
  return liquidationPrice({ ...held, otherMaintenance: 0n })
}
