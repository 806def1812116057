import { absolute, smaller } from '../../../core/decimals.ts'
import { product, quotient } from '../../../perp/amounts.ts'
import { filledTemplate, fixedText, percent, signed, unsignedPercent } from '../../common/format.ts'
import { Pairs, type Rows } from '../../common/pairs.tsx'
import { reachableLiquidation } from '../account/rows.ts'
import { heldPositions } from '../account/state.ts'
import { decimalPlaces, shownMarket, symbol } from '../market/state.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import { TICKET_TEXTS } from '../messages/ticket.ts'
import {
  bestOpposite,
  children,
  isReduceOnly,
  largestSizeNow,
  side,
  ticketSize,
  waitingTrigger,
  waitsForMark,
} from '../orders/draft.ts'
import { estimate } from '../orders/verdict.ts'

/** Rows with the estimated cost and result of the order. */
export function estimateRows(found: typeof estimate.value): Rows {
  if (!found) return []
  if (waitsForMark.value) return waitingRows(found)
  const { price, value, taken, worst, figures } = found
  const rows: Rows = [
    [TICKET_TEXTS.estimate, shownPriceText(price)],
    [TICKET_TEXTS.value, `${fixedText(value, 2)} USDC`],
    worst !== null && [TICKET_TEXTS.worst, filledTemplate(TICKET_TEXTS.worstOf, worstTexts(worst))],
  ]
  if (!figures) return rows
  const { fee, margin, liquidation } = figures
  const rate = value === 0n ? '' : ` (${unsignedPercent(quotient(fee ?? 0n, value, 'ceil'))})`
  return [
    ...rows,
    [TICKET_TEXTS.fee, fee === null ? PAGE_TEXTS.none : `${fixedText(fee, 4)} USDC${rate}`],
    [TICKET_TEXTS.margin, `${fixedText(margin, 2)} USDC`],
    [TICKET_TEXTS.liquidation, liquidationText(liquidation)],
    taken > 0n && children.value.length === 0 && [TICKET_TEXTS.fills, shownSizeText(taken)],
  ]
}

/** The price that would liquidate: null if no price would liquidate, undefined if unknown. */
function liquidationText(at: bigint | null | undefined): string {
  if (at === undefined) return PAGE_TEXTS.none
  const reachable = reachableLiquidation(at ?? 0n, shownMarket.value?.mark ?? 0n)
  return reachable > 0n ? shownPriceText(reachable) : TICKET_TEXTS.noLiquidation
}

/** The figures of an order before its trigger is met. */
function waitingRows({ price, value }: NonNullable<typeof estimate.value>): Rows {
  const mark = shownMarket.value?.mark ?? 0n
  const at = waitingTrigger.value ?? price
  const pnl = pnlAt(at)
  return [
    [TICKET_TEXTS.distance, percent(quotient(at - mark, mark), 2)],
    [TICKET_TEXTS.value, `${fixedText(value, 2)} USDC`],
    pnl !== null && [TICKET_TEXTS.pnlThen, `${signed(pnl, 2)} USDC`],
  ]
}

/** The PnL of the part that the order closes, at a price and before fees; null for an order that does not close. */
function pnlAt(price: bigint): bigint | null {
  const held = heldPositions.value.find((row) => row.symbol === symbol.value)
  const isClosing = held && isReduceOnly.value && held.size > 0n === (side.value === 'SELL')
  if (!isClosing) return null
  const closed = smaller(absolute(held.size), ticketSize.value ?? 0n)
  return product(closed, held.size > 0n ? price - held.entry : held.entry - price)
}

/** The texts of the worst price in the book that the order reaches, and of its distance from the best price. */
export function worstTexts(worst: bigint) {
  const best = bestOpposite.value ?? worst
  const slippage = unsignedPercent(quotient(absolute(worst - best), best))
  return { worst: shownPriceText(worst), slippage }
}

function shownPriceText(price: bigint): string {
  return fixedText(price, decimalPlaces.peek().price)
}

function shownSizeText(amount: bigint): string {
  return `${fixedText(amount, decimalPlaces.peek().size)} ${shownMarket.peek()?.base ?? ''}`
}

const NAMES = [
  TICKET_TEXTS.estimate,
  TICKET_TEXTS.worst,
  TICKET_TEXTS.value,
  TICKET_TEXTS.fee,
  TICKET_TEXTS.margin,
  TICKET_TEXTS.liquidation,
  TICKET_TEXTS.fills,
]
const WAITING_NAMES = [TICKET_TEXTS.distance, TICKET_TEXTS.value, TICKET_TEXTS.pnlThen]

/** The estimates below the form and the largest size, in fixed rows so that the form does not move. */
export function EstimateRows() {
  const known = new Map(estimateRows(estimate.value).filter((row) => row !== false))
  const names = waitsForMark.value ? WAITING_NAMES : NAMES
  const rows: Rows = [
    [
      TICKET_TEXTS.largest,
      largestSizeNow.value === null ? PAGE_TEXTS.none : shownSizeText(largestSizeNow.value),
    ],
    ...names.map((name) => [name, known.get(name) ?? PAGE_TEXTS.none] as const),
  ]
  return (
    <>
      <Pairs rows={rows} />
      {waitsForMark.value && <p class="quiet why">{TICKET_TEXTS.later}</p>}
    </>
  )
}
