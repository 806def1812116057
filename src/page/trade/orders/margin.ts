import { mostBelow } from '../../../core/bisection.ts'
import { absolute, larger, ONE, smaller } from '../../../core/decimals.ts'
import { amountNumber, divided, times } from '../../../perp/amounts.ts'
import type { Rule } from '../market/rows.ts'
import type { Side } from './check.ts'

/** An account's position and open orders in one market, the settings that its margin depends on there, and what it has to trade with. */
export type MarketAccount = {
  /** Signed size of the position. */
  readonly held: bigint
  readonly mark: bigint
  /** What open orders would buy and sell, and its value at their own prices; reduce-only orders do not count. */
  readonly buys: bigint
  readonly sells: bigint
  readonly buyValue: bigint
  readonly sellValue: bigint
  readonly leverage: number
  readonly isIsolated: boolean
  /** Of an isolated position: its own margin, and its unsettled result. */
  readonly margin: bigint
  readonly unsettled: bigint
  /** How fast the rates grow with the value of a position. */
  readonly imrFactor: number
  /** The largest value of position and orders; null when it is not known. */
  readonly notionalMax: bigint | null
  readonly collateral: bigint
  readonly free: bigint
  /** Whether open positions and orders already need more than there is. */
  readonly isShort: boolean
  /** Maintenance margin of the cross positions in other markets. */
  readonly otherMaintenance: bigint
  /** Fractions. */
  readonly takerFee: bigint
  readonly makerFee: bigint
}

/** An order as margin sees it: `price` values it while it rests, `cost` is what its fills take at once. */
export type MarginOrder = {
  readonly side: Side
  readonly size: bigint
  readonly price: bigint
  readonly cost: bigint
}

/** The venue's rates grow with this power of a position's value. */
const SIZE_POWER = 0.8
const RATE_MAX = 1000
/** What an isolated position sets aside for fees besides its margin. */
const ISOLATED_FEE_RATE = (6n * ONE) / 10_000n

/** The initial margin of a value, as a fraction: by leverage, the market's own rate, and the value itself. */
function initialRate(rule: Rule, { leverage, imrFactor }: MarketAccount, value: bigint): bigint {
  const base = larger(byLeverage(leverage), rule.baseImr)
  return larger(base, sizeRate(imrFactor, value))
}

/** The maintenance margin of a value, as a fraction. */
export function maintenanceRate(rule: Rule, imrFactor: number, value: bigint): bigint {
  const share = rule.baseImr > 0n ? amountNumber(rule.baseMmr) / amountNumber(rule.baseImr) : 0
  return larger(rule.baseMmr, sizeRate(share * imrFactor, value))
}

function sizeRate(factor: number, value: bigint): bigint {
  const rate = Math.min(factor * amountNumber(value) ** SIZE_POWER, RATE_MAX)
  return BigInt(Math.round(rate * Number(ONE)))
}

function byLeverage(leverage: number): bigint {
  return leverage > 0 ? ONE / BigInt(leverage) : ONE
}

/** The margin that an isolated position takes for a value that it opens. */
export function isolatedMargin({ leverage }: MarketAccount, value: bigint): bigint {
  return times(value, byLeverage(leverage) + ISOLATED_FEE_RATE, 'ceil')
}

/** The further margin that an order needs while its account's other orders stay: zero where it only reduces. */
export function marginNeeded(rule: Rule, account: MarketAccount, order: MarginOrder): bigint {
  const after = withOrder(account, order)
  if (account.isIsolated) return larger(0n, frozenBy(after) - frozenBy(account))
  return larger(0n, initialOf(rule, after) - initialOf(rule, account))
}

/** Whether the venue would take an order for what margin there is. */
export function hasMargin(rule: Rule, account: MarketAccount, order: MarginOrder): boolean {
  const needed = marginNeeded(rule, account, order)
  if (account.isShort || account.free < needed + order.cost) return false
  return !account.isIsolated || order.cost === 0n || coversLoss(rule, account, order)
}

/** The value that an account's position and orders would have beyond what its leverage allows; zero or less is none. */
export function excessValue(account: MarketAccount, order: MarginOrder): bigint {
  if (account.notionalMax === null) return 0n
  const held = times(absolute(account.held), account.mark)
  return valueWithOrders(withOrder(account, order)) - larger(held, account.notionalMax)
}

/** The largest size on the step that fits: whatever fits, anything smaller does too. */
export function largestSize({ step, sizeMax }: Rule, fits: (size: bigint) => boolean): bigint {
  if (step <= 0n) return 0n
  const tooMany = (sizeMax > 0n ? sizeMax : UNBOUNDED) / step + 1n
  return step * mostBelow(tooMany, (steps) => fits(steps * step))
}

const UNBOUNDED = 10n ** 12n * ONE

function withOrder(account: MarketAccount, { side, size, price }: MarginOrder): MarketAccount {
  const { buys, sells, buyValue, sellValue } = account
  const value = times(size, price)
  return side === 'BUY'
    ? { ...account, buys: buys + size, buyValue: buyValue + value }
    : { ...account, sells: sells + size, sellValue: sellValue + value }
}

/** The value at the mark of the larger of what either side's orders could make of the position. */
export function valueWithOrders({ held, buys, sells, mark }: MarketAccount): bigint {
  return times(larger(absolute(held + buys), absolute(held - sells)), mark)
}

/** The initial margin of an account's position and open orders in a market. */
export function initialOf(rule: Rule, account: MarketAccount): bigint {
  const value = valueWithOrders(account)
  return times(value, initialRate(rule, account, value), 'ceil')
}

/** What an isolated market's orders hold back: the margin of what the larger side could add to the position. */
function frozenBy(account: MarketAccount): bigint {
  const { held, buys, sells, buyValue, sellValue } = account
  const long = growth(buys, larger(0n, -held), buyValue)
  const short = growth(sells, larger(0n, held), sellValue)
  return isolatedMargin(account, larger(long, short))
}

/** The value of the part of some orders that goes beyond what they close. */
function growth(ordered: bigint, closing: bigint, value: bigint): bigint {
  return ordered <= closing ? 0n : times(value, divided(ordered - closing, ordered, 'ceil'), 'ceil')
}

/** A new isolated position must not begin below its maintenance margin. */
function coversLoss(rule: Rule, account: MarketAccount, order: MarginOrder): boolean {
  const { held, mark, margin, unsettled, imrFactor } = account
  const value = times(absolute(held), mark)
  const added = larger(0n, valueWithOrders(withOrder(account, order)) - value)
  const maintenance = times(value, maintenanceRate(rule, imrFactor, value), 'ceil')
  const equity = margin + unsettled + isolatedMargin(account, added) - order.cost
  return equity >= maintenance + times(added, rule.baseMmr)
}

/** The part of a size that closes a position, and the part that opens one. */
export function splitSize(held: bigint, side: Side, size: bigint) {
  const closable = larger(0n, side === 'BUY' ? -held : held)
  const closing = smaller(size, closable)
  return { closing, opening: size - closing }
}
