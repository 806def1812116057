import { absolute, smaller } from '../../../core/decimals.ts'
import { divided, times } from '../../../perp/amounts.ts'
import { fill, fixedText, percent, signed, unsignedPercent } from '../../common/format.ts'
import { Pairs, type Rows } from '../../common/pairs.tsx'
import { reachableLiquidation } from '../account/rows.ts'
import { heldPositions } from '../account/state.ts'
import { summary } from '../account/summary.ts'
import { places, shownMarket, symbol } from '../market/state.ts'
import { M } from '../messages/page.ts'
import { F } from '../messages/ticket.ts'
import {
  bestOpposite,
  children,
  isReduceOnly,
  largest,
  sentAt,
  side,
  ticketAccount,
  ticketSize,
  waitsForMark,
} from '../orders/draft.ts'
import { estimate } from '../orders/verdict.ts'

/** Rows with the estimated cost and result of the order. */
export function estimateRows(found: typeof estimate.value): Rows {
  if (!found) return []
  if (waitsForMark.value) return waitingRows(found)
  const { price, value, taken, worst, figures } = found
  const rows: Rows = [
    [F.estimate, shownPriceText(price)],
    [F.value, `${fixedText(value, 2)} USDC`],
    worst !== null && [F.worst, fill(F.worstOf, worstTexts(worst))],
  ]
  if (!figures) return rows
  const { fee, margin, liquidation } = figures
  const rate = value === 0n ? '' : ` (${unsignedPercent(divided(fee ?? 0n, value, 'ceil'))})`
  return [
    ...rows,
    [F.fee, fee === null ? M.none : `${fixedText(fee, 4)} USDC${rate}`],
    [F.margin, `${fixedText(margin, 2)} USDC`],
    [F.liquidation, liquidationText(liquidation)],
    taken > 0n && children.value.length === 0 && [F.fills, shownSizeText(taken)],
  ]
}

/** The price that would liquidate: null if no price would liquidate, undefined if unknown. */
function liquidationText(at: bigint | null | undefined): string {
  if (at === undefined) return M.none
  const reachable = reachableLiquidation(at ?? 0n, shownMarket.value?.mark ?? 0n)
  return reachable > 0n ? shownPriceText(reachable) : F.noLiquidation
}

/** The figures of an order before its trigger is met. */
function waitingRows({ price, value }: NonNullable<typeof estimate.value>): Rows {
  const mark = shownMarket.value?.mark ?? 0n
  const at = sentAt.value ?? price
  const pnl = pnlAt(at)
  return [
    [F.distance, percent(divided(at - mark, mark), 2)],
    [F.value, `${fixedText(value, 2)} USDC`],
    pnl !== null && [F.pnlThen, `${signed(pnl, 2)} USDC`],
  ]
}

/** The PnL of the part that the order closes, at a price and before fees; null for an order that does not close. */
function pnlAt(price: bigint): bigint | null {
  const held = heldPositions.value.find((row) => row.symbol === symbol.value)
  const isClosing = held && isReduceOnly.value && held.size > 0n === (side.value === 'SELL')
  if (!isClosing) return null
  const closed = smaller(absolute(held.size), ticketSize.value ?? 0n)
  return times(closed, held.size > 0n ? price - held.entry : held.entry - price)
}

/** The texts of the worst price in the book that the order reaches, and of its distance from the best price. */
export function worstTexts(worst: bigint) {
  const best = bestOpposite.value ?? worst
  const slippage = unsignedPercent(divided(absolute(worst - best), best))
  return { worst: shownPriceText(worst), slippage }
}

function shownPriceText(price: bigint): string {
  return fixedText(price, places.peek().price)
}

function shownSizeText(amount: bigint): string {
  return `${fixedText(amount, places.peek().size)} ${shownMarket.peek()?.base ?? ''}`
}

const NAMES = [F.estimate, F.worst, F.value, F.fee, F.margin, F.liquidation, F.fills]
const WAITING_NAMES = [F.distance, F.value, F.pnlThen]

/** The estimates below the form and the largest size, in fixed rows so that the form does not move. */
export function EstimateRows() {
  const account = summary.value
  const known = new Map(estimateRows(estimate.value).filter((row) => row !== false))
  const names = waitsForMark.value ? WAITING_NAMES : NAMES
  const rows: Rows = [
    [
      F.largest,
      account && ticketAccount.value?.takerFee !== null ? shownSizeText(largest.value) : M.none,
    ],
    ...names.map((name) => [name, known.get(name) ?? M.none] as const),
  ]
  return (
    <>
      <Pairs rows={rows} />
      {waitsForMark.value && <p class="quiet why">{F.later}</p>}
    </>
  )
}
