import { isObject } from '../../core/json.ts'
import { amountNumber, amountOf, larger, smaller, times } from '../amounts.ts'
import { figure, type Row } from '../rows.ts'
import { type AccountView, heldIn } from '../views/account.ts'
import { isPriced, type PreparedOrder } from './ask.ts'
import { type Fill, fillOf, marketLimit, opposite } from './book.ts'

const NOTHING: Fill = { quantity: 0n, value: 0n, worst: null }

/** Types that never take from the book when they arrive. */
const RESTING: ReadonlySet<string> = new Set(['POST_ONLY', 'ASK', 'BID'])
const LEAVES_NOTHING: ReadonlySet<string> = new Set(['MARKET', 'IOC', 'FOK'])

/** How much of its size an order can trade: a reduce-only one no more than there is to reduce, where that is known. */
export function reachOf({ market, args, check }: PreparedOrder, account: AccountView | null) {
  const { quantity, side } = check.corrected
  if (!args.reduce_only || !account) return quantity
  const held = heldIn(account.positions, market.symbol)
  return smaller(quantity, larger(side === 'SELL' ? held : -held, 0n))
}

/** What the book would fill of the corrected order at once, as far as the order reaches. */
export function estimatedFill({ market, args, check, book }: PreparedOrder, reach: bigint): Fill {
  const { side, price, quantity } = check.corrected
  if (!book || RESTING.has(args.order_type)) return NOTHING
  const levels = opposite(book, side)
  const limit = isPriced(args.order_type)
    ? price
    : marketLimit(market, levels, { side, slippage: amountOf(args.slippage) })
  const fill = fillOf(levels, { side, quantity: reach, limit })
  return args.order_type === 'FOK' && fill.quantity < quantity ? NOTHING : fill
}

/** What an order is worth as it arrives: what it fills, and what of its reach then rests. */
export function arrivalValue({ args, check }: PreparedOrder, fill: Fill, reach: bigint): bigint {
  if (LEAVES_NOTHING.has(args.order_type)) return fill.value
  const { price, reference } = check.corrected
  return fill.value + times(reach - fill.quantity, price ?? reference)
}

/** Figures are floats and rounded: they are estimates, and nothing is sent from them. */
const RATE_DECIMALS = 6

/** The margin of an account after an order, at the mark price, under cross margin. */
export function marginAfter(
  prepared: PreparedOrder,
  fill: Fill,
  { summary, positions, info, leverage }: AccountView,
) {
  const { market, args, check } = prepared
  const { symbol } = market
  const { side, quantity, reduceOnly } = check.corrected
  const mark = amountNumber(market.mark ?? check.corrected.reference)
  const held = positions.find((row) => row['symbol'] === symbol)
  const holding = figure(held, 'position_qty')
  const ordered = (side === 'BUY' ? 1 : -1) * amountNumber(quantity)
  const wanted = reduceOnly ? reduced(holding, ordered) : holding + ordered
  const rates = ratesOf(prepared, { info, leverage })
  const before = Math.abs(holding) * mark
  const after = Math.abs(wanted) * mark
  const needed = initialRate(rates, after) * after - initialRate(rates, before) * before
  const collateral = (summary.total_collateral_value ?? 0) - costOf(fill, ordered, mark, info)
  const free = summary.free_collateral ?? 0
  const others = positions.filter((row) => row['symbol'] !== symbol)
  const notional = after + sum(others, notionalOf)
  const maintenance = maintenanceRate(rates, after) * after + sum(others, maintenanceOf)
  return {
    free_collateral: rounded(free),
    initial_margin_needed: rounded(Math.max(0, needed)),
    free_collateral_after: rounded(
      free - needed - ((summary.total_collateral_value ?? 0) - collateral),
    ),
    leverage: rates.leverage,
    position_qty_now: holding,
    position_qty_after: rounded(wanted, 8),
    margin_ratio_after: notional === 0 ? null : rounded(collateral / notional, RATE_DECIMALS),
    maintenance_margin_ratio_after:
      notional === 0 ? null : rounded(maintenance / notional, RATE_DECIMALS),
    cushion_usdc_after: rounded(collateral - maintenance),
    est_liq_price_after: liquidationPrice({
      wanted,
      mark,
      collateral,
      rate: maintenanceRate(rates, after),
      others: sum(others, maintenanceOf),
    }),
    ...(args.margin_mode === 'ISOLATED' && { note: 'Computed as cross margin.' }),
  }
}

type Rates = {
  readonly leverage: number
  readonly baseImr: number
  readonly baseMmr: number
  readonly factor: number
}

/** A market's rates for this account: at the leverage set for the market, else at the account's. */
function ratesOf(
  { market }: PreparedOrder,
  { info, leverage }: Pick<AccountView, 'info' | 'leverage'>,
): Rates {
  const factors = info['imr_factor']
  const own = leverage ?? (figure(info, 'max_leverage') || 1)
  return {
    leverage: Math.min(own, market.maxLeverage),
    baseImr: figure(market.info, 'base_imr'),
    baseMmr: figure(market.info, 'base_mmr'),
    factor: isObject(factors) ? figure(factors, market.symbol) : 0,
  }
}

/** The rates of the venue grow with the 0.8th power of a position's value. */
const SCALING = 0.8

function initialRate({ leverage, baseImr, factor }: Rates, notional: number): number {
  return Math.max(1 / leverage, baseImr, factor * notional ** SCALING)
}

function maintenanceRate({ baseImr, baseMmr, factor }: Rates, notional: number): number {
  const share = baseImr > 0 ? baseMmr / baseImr : 0
  return Math.max(baseMmr, share * factor * notional ** SCALING)
}

/** What a fill costs against the mark at once: the way to the mark, and the fee. */
function costOf({ value, quantity }: Fill, ordered: number, mark: number, info: Row): number {
  const paid = amountNumber(value)
  const worth = amountNumber(quantity) * mark
  const fee = (paid * figure(info, 'futures_taker_fee_rate')) / 10_000
  return (ordered > 0 ? paid - worth : worth - paid) + fee
}

function reduced(holding: number, ordered: number): number {
  if (holding * ordered >= 0) return holding
  return Math.abs(ordered) >= Math.abs(holding) ? 0 : holding + ordered
}

function notionalOf(row: Row): number {
  return Math.abs(figure(row, 'position_qty')) * figure(row, 'mark_price')
}

function maintenanceOf(row: Row): number {
  return notionalOf(row) * figure(row, 'mmr')
}

/** Where the collateral meets the maintenance margin; null when no price of the market leads there. */
function liquidationPrice(at: {
  wanted: number
  mark: number
  collateral: number
  rate: number
  others: number
}): number | null {
  const { wanted, mark, collateral, rate, others } = at
  const size = Math.abs(wanted)
  if (size === 0) return null
  const slope = size * rate - wanted
  const price = slope === 0 ? 0 : mark + (collateral - size * mark * rate - others) / slope
  return price > 0 ? rounded(price, RATE_DECIMALS) : null
}

function sum(rows: readonly Row[], of: (row: Row) => number): number {
  return rows.reduce((total, row) => total + of(row), 0)
}

function rounded(value: number, decimals = 2): number {
  return Number(value.toFixed(decimals))
}
