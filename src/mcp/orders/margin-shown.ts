import { absolute, larger, usdcNumber } from '../../core/decimals.ts'
import type { Row } from '../../core/json.ts'
import { amountNumber, times, toAmount, toMicros } from '../../perp/amounts.ts'
import { figure } from '../rows.ts'
import { distanceOf } from '../views/account.ts'
import type { OrderAccount } from './account.ts'
import { maintenanceFraction, RATE_ONE, type RateTerms, shareOf } from './margin-rates.ts'
import type { MarketFigures, MarketState, Terms } from './margin-state.ts'

/** An account of a market before and after an order; micro-USDC. */
type Shown = {
  readonly account: OrderAccount
  readonly terms: Terms
  readonly before: MarketState
  readonly after: MarketState
  readonly was: MarketFigures
  readonly now: MarketFigures
  readonly free: bigint
  readonly collateral: bigint
  readonly initial: bigint
}

/** The margin after an order as a tool answers it: USDC, prices, fractions. */
export function shownOf(
  symbol: string,
  { account, terms, before, after, was, now, ...own }: Shown,
) {
  const { free, collateral, initial } = own
  const others = othersOf(account, symbol)
  const isolated = terms.mode === 'ISOLATED'
  const notional = others.notional + (isolated ? 0n : now.notional)
  const maintenance = others.maintenance + (isolated ? 0n : now.maintenance)
  const backing = isolated ? after.margin + now.pnl : collateral
  const mark = amountNumber(terms.mark)
  const liquidation = liquidationPrice({
    terms,
    quantity: amountNumber(after.quantity),
    mark,
    collateral: usdcNumber(backing),
    others: isolated ? 0 : usdcNumber(others.maintenance),
    isolated,
  })
  const needed = isolated
    ? after.margin - before.margin + now.frozen - was.frozen
    : now.initial - was.initial
  return {
    margin_mode: terms.mode,
    leverage: terms.leverage,
    free_collateral: usdcNumber(larger(0n, free)),
    initial_margin_needed: usdcNumber(larger(0n, needed)),
    free_collateral_after: usdcNumber(larger(0n, collateral - initial)),
    total_collateral_after: usdcNumber(collateral),
    position_qty_now: amountNumber(before.quantity),
    position_qty_after: amountNumber(after.quantity),
    ...(isolated && { position_margin_after: usdcNumber(after.margin) }),
    margin_ratio_after: ratio(collateral, notional),
    maintenance_margin_ratio_after: ratio(maintenance, notional),
    cushion_usdc_after: usdcNumber(backing - (isolated ? now.maintenance : maintenance)),
    est_liq_price_after: liquidation > 0 ? rounded(liquidation) : null,
    liq_distance_pct_after: distanceOf(liquidation, mark),
    ...noteOf(account, before),
  }
}

function noteOf({ leverage, leverageSet, mode }: OrderAccount, { quantity }: MarketState) {
  if (leverage === leverageSet) return {}
  const isKept = mode === 'ISOLATED' && quantity !== 0n
  const next = isKept
    ? 'an open isolated position keeps it.'
    : 'call set_leverage before the order.'
  return { note: `Computed at ${leverage}x; the market is set to ${leverageSet}x: ${next}` }
}

const DECIMALS = 8

function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS))
}

function ratio(part: bigint, whole: bigint): number | null {
  return whole === 0n ? null : rounded(Number(part) / Number(whole))
}

/** The other cross positions, which share the collateral. */
function othersOf({ positions }: OrderAccount, symbol: string) {
  const rows = positions.filter(
    (row) => row['symbol'] !== symbol && row['margin_mode'] !== 'ISOLATED',
  )
  const figures = rows.map((row) => {
    const notional = toMicros(
      absolute(times(amountAt(row, 'position_qty'), amountAt(row, 'mark_price'))),
    )
    return { notional, maintenance: shareOf(notional, Math.round(figure(row, 'mmr') * RATE_ONE)) }
  })
  return {
    notional: figures.reduce((sum, { notional }) => sum + notional, 0n),
    maintenance: figures.reduce((sum, { maintenance }) => sum + maintenance, 0n),
  }
}

/** The initial margin of cross positions with their orders, from the venue's rows; micro-USDC. */
export function initialOf(rows: readonly Row[]): bigint {
  const cross = rows.filter((row) => row['margin_mode'] !== 'ISOLATED')
  return cross.reduce((sum, row) => {
    const [held, mark] = [amountAt(row, 'position_qty'), amountAt(row, 'mark_price')]
    const long = absolute(held + amountAt(row, 'pending_long_qty'))
    const short = absolute(held - amountAt(row, 'pending_short_qty'))
    const notional = toMicros(times(larger(long, short), mark))
    return sum + shareOf(notional, Math.round(figure(row, 'IMR_withdraw_orders') * RATE_ONE))
  }, 0n)
}

function amountAt(row: Row, field: string): bigint {
  return toAmount(row[field]) ?? 0n
}

/** A position at a mark, in floats: prices and amounts in USDC, `quantity` signed. */
type PositionAtMark = {
  readonly terms: RateTerms
  readonly quantity: number
  readonly mark: number
  /** The account's collateral, or the margin and PnL of an isolated position. */
  readonly collateral: number
  /** The maintenance margin of the other positions that share the collateral. */
  readonly others: number
  readonly isolated: boolean
}

const STEPS_MAX = 30
const TOLERANCE = 1e-4

/**
 * The mark at which the venue would liquidate a position if nothing else moved; zero when there is none. An estimate in
 * floats by the venue's published formula: solved at the maintenance rate of the present notional, and for a cross
 * position refined by bisection, because the rate changes with the price.
 */
function liquidationPrice(at: PositionAtMark): number {
  const { terms, quantity, mark, isolated } = at
  if (quantity === 0) return 0
  const rate = maintenanceFraction(terms, Math.abs(quantity) * mark)
  if (isolated) return solved(at, rate)
  if (quantity > 0) return bisected(at, solved(at, terms.baseMmr), solved(at, rate)).right
  const right = solved(at, rate)
  const rateThere = maintenanceFraction(terms, -quantity * right)
  return bisected(at, solved(at, Math.max(terms.baseImr, rateThere)), right).left
}

/** Where the collateral meets the maintenance margin at a fixed rate. */
function solved({ quantity, mark, collateral, others }: PositionAtMark, rate: number): number {
  const size = Math.abs(quantity)
  const slope = size * rate - quantity
  if (quantity >= 0 && slope >= 0) return mark
  return Math.max(0, mark + (collateral - size * mark * rate - others) / slope)
}

/** Narrows to the price where the account turns from safe to liquidated: a long is safe above it, a short below. */
function bisected(at: PositionAtMark, from: number, to: number): { left: number; right: number } {
  let left = Math.min(from, to)
  let right = Math.max(from, to)
  for (let step = 0; step < STEPS_MAX && right - left > TOLERANCE * right; step += 1) {
    const middle = (left + right) / 2
    if (isSafe(at, middle) === at.quantity > 0) right = middle
    else left = middle
  }
  return { left, right }
}

function isSafe(
  { terms, quantity, mark, collateral, others }: PositionAtMark,
  price: number,
): boolean {
  const notional = Math.abs(quantity) * price
  const maintenance = notional * maintenanceFraction(terms, notional)
  return collateral + quantity * (price - mark) >= maintenance + others
}
