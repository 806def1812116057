import { type Static, Type } from '@sinclair/typebox'
import { MINUTE_MS } from '../../contract/durations.ts'
import { absolute, larger } from '../../core/decimals.ts'
import { sha256Hex } from '../../core/digest.ts'
import {
  amountNumber,
  product,
  quotient,
  roundedToStep,
  toAmount,
  toUsdcNumber,
} from '../../perp/amounts.ts'
import { checkOrder, type RuleName } from '../../perp/order-check.ts'
import {
  heldQuantity,
  MARGIN_MODES,
  type MarginMode,
  type Position,
  type Side,
} from '../../perp/positions.ts'
import { invalidArgument, toolRefusal } from '../refusal.ts'
import type { SignedContext } from '../tool.ts'
import { accountView } from '../views/account.ts'
import { type MarketView, orderMarket } from '../views/market.ts'
import type { OrderArguments } from './arguments.ts'

/** Maximum move of a mark price since the plan was made, and maximum slippage of an order, as fractions. */
export const PRICE_MOVE_MAX = 0.01
const MARKETS_MAX = 20
const PLAN_AGE_MAX_MS = 15 * MINUTE_MS

const Amount = Type.Number()
const MarketName = Type.String({ maxLength: 64 })

/** One order of a plan. */
const WRITE = Type.Object({
  symbol: MarketName,
  side: Type.Union([Type.Literal('BUY'), Type.Literal('SELL')]),
  order_quantity: Type.Number({ exclusiveMinimum: 0 }),
  reduce_only: Type.Boolean(),
  /** The margin mode of the market's position; absent without a position. */
  margin_mode: Type.Optional(Type.Union(MARGIN_MODES.map((mode) => Type.Literal(mode)))),
  /** The value at the plan's mark price. */
  value_usdc: Amount,
})

/** A market's state when the plan was made. Weights are fractions of the account value. */
const PLANNED_MARKET = Type.Object({
  symbol: MarketName,
  target_weight: Amount,
  weight: Amount,
  position_qty: Amount,
  mark_price: Type.Number({ exclusiveMinimum: 0 }),
})

/** A plan: the orders that bring positions to their target weights. Orders that reduce come before orders that open. */
export const PLAN = Type.Object({
  id: Type.String({ maxLength: 80 }),
  expires_at: Type.Integer(),
  account_value: Amount,
  markets: Type.Array(PLANNED_MARKET, { minItems: 1, maxItems: MARKETS_MAX }),
  writes: Type.Array(WRITE, { maxItems: 2 * MARKETS_MAX }),
})

export type Plan = Static<typeof PLAN>
export type PlannedMarket = Static<typeof PLANNED_MARKET>
export type PlannedWrite = Static<typeof WRITE>

/** A change that is below the market's smallest order; quantities are in the base asset. */
type TooSmall = PlannedWrite & { readonly smallest_quantity: number }

/** The id of a plan: the SHA-256 of its other members in a fixed order. */
export function planId({ expires_at, account_value, markets, writes }: Omit<Plan, 'id'>): string {
  const text = JSON.stringify([
    [expires_at, account_value],
    markets.map((row) => [
      ...[row.symbol, row.target_weight, row.weight, row.position_qty, row.mark_price],
    ]),
    writes.map((row) => [
      ...[row.symbol, row.side, row.order_quantity, row.reduce_only, row.value_usdc],
      ...(row.margin_mode === undefined ? [] : [row.margin_mode]),
    ]),
  ])
  return `sha256:${sha256Hex(text)}`
}

/** The MARKET order of a planned write, with `PRICE_MOVE_MAX` as maximum slippage. */
export function plannedMarketOrder({ value_usdc, ...order }: PlannedWrite): OrderArguments {
  return { ...order, order_type: 'MARKET', slippage: PRICE_MOVE_MAX }
}

/**
 * Makes the plan that brings the named markets to their weights of the account value. A negative weight means a short
 * position; zero closes the position. Also returns the changes that are too small to send, and the markets whose
 * positions the plan does not change. Throws:
 * - invalid_request for a weight beyond the market's leverage, a market that is named twice, or a market with positions
 *   in both margin modes
 * - account_restricted for a market without a price
 * - upstream_unavailable while the value of the account is unknown
 */
export async function draftPlan(context: SignedContext, targets: Readonly<Record<string, number>>) {
  const [view, markets] = await Promise.all([accountView(context), readTargets(context, targets)])
  const { account_value, total_collateral_value } = view.summary
  const value = toAmount(account_value ?? total_collateral_value)
  if (value === null) throw toolRefusal('upstream_unavailable', { next: UNKNOWN_VALUE })
  if (value <= 0n) throw toolRefusal('insufficient_margin', { next: NO_VALUE })
  const open = view.positions.filter(({ quantity }) => quantity !== 0n)
  const parts = markets.flatMap((target) =>
    rebalanceOrders(target, value, targetPosition(open, target)),
  )
  const facts = {
    expires_at: context.venueClock.nowMs() + PLAN_AGE_MAX_MS,
    account_value: amountNumber(value),
    markets: markets.map((target) =>
      toPlannedMarket(target, value, heldQuantity(open, target.market.symbol)),
    ),
    writes: parts
      .filter(isSendable)
      .toSorted((a, b) => Number(b.reduces) - Number(a.reduces))
      .map(toPlannedWrite),
  }
  const named = markets.map(({ market }) => market.symbol)
  const held = [...new Set(open.map(({ symbol }) => symbol))]
  return {
    plan: { id: planId(facts), ...facts },
    tooSmall: parts.filter((part) => !isSendable(part)).map(toTooSmall),
    untouched: held.filter((symbol) => !named.includes(symbol)),
  }
}

const UNKNOWN_VALUE =
  'The venue answers without the value of the account now, so its shares are unknown. Call again.'
const NO_VALUE = 'The account has no value to take a share of: the user has to deposit first.'

type Target = { readonly market: MarketView; readonly mark: bigint; readonly weight: bigint }

async function readTargets(
  context: SignedContext,
  targets: Readonly<Record<string, number>>,
): Promise<readonly Target[]> {
  const entries = Object.entries(targets)
  if (entries.length === 0) throw invalidArgument('targets', 'missing')
  if (entries.length > MARKETS_MAX) {
    throw invalidArgument('targets', 'too_long', { maximum: MARKETS_MAX })
  }
  const named = await Promise.all(
    entries.map(async ([word, weight]) => toTarget(await orderMarket(context, word), weight)),
  )
  const symbols = named.map(({ market }) => market.symbol)
  const twice = symbols.find((symbol, at) => symbols.indexOf(symbol) !== at)
  if (twice === undefined) return named
  throw invalidArgument('targets', 'repeated', { next: `${twice} is named twice.` })
}

function toTarget(market: MarketView, weight: number): Target {
  const { symbol, mark, maxLeverage: maximum } = market
  const exact = toAmount(weight)
  if (exact === null) throw invalidArgument('targets', 'malformed', { symbol })
  if (Math.abs(weight) > maximum) {
    throw invalidArgument('targets', 'out_of_range', { symbol, minimum: -maximum, maximum })
  }
  if (mark !== null && mark > 0n) return { market, mark, weight: exact }
  throw toolRefusal('account_restricted', { symbol, next: 'This market has no price now.' })
}

/** The position of a market; null without one. Throws invalid_request if both margin modes have a position. */
function targetPosition(
  open: readonly Position[],
  { market: { symbol } }: Target,
): Position | null {
  const [position = null, another] = open.filter((row) => row.symbol === symbol)
  if (!another) return position
  throw invalidArgument('targets', 'conflicting', { symbol, next: TWO_POSITIONS })
}

const TWO_POSITIONS =
  'This market has a cross and an isolated position: close one of them (close_position with margin_mode), or leave the market out.'

/** One order that a market needs, in exact amounts. */
type Part = {
  readonly market: MarketView
  readonly mark: bigint
  readonly isBuy: boolean
  readonly quantity: bigint
  readonly reduces: boolean
  /** The size of the position. */
  readonly held: bigint
  readonly mode: MarginMode | null
}

/** The orders that bring one position to its target weight. A position that changes sides is closed first. */
function rebalanceOrders(
  { market, mark, weight }: Target,
  value: bigint,
  position: Position | null,
): readonly Part[] {
  const { baseTick } = market
  const { quantity: held = 0n, mode = null } = position ?? {}
  const size = roundedToStep(quotient(product(value, absolute(weight)), mark), baseTick, 'floor')
  const wanted = weight < 0n ? -size : size
  const part = (whole: bigint, reduces: boolean, isBuy: boolean) => {
    // A position may be off the tick, but no order: the remainder is a part of its own, which is too small to send.
    const sent = roundedToStep(whole, baseTick, 'floor')
    return [sent, whole - sent]
      .filter((quantity) => quantity !== 0n)
      .map((quantity) => ({ market, mark, isBuy, quantity, reduces, held: absolute(held), mode }))
  }
  const turns = held < 0n !== wanted < 0n
  if (turns || wanted === 0n)
    return [...part(absolute(held), true, held < 0n), ...part(size, false, wanted > 0n)]
  const change = roundedToStep(absolute(wanted - held), baseTick, 'floor')
  return part(change, absolute(wanted) < absolute(held), wanted > held)
}

/** The smallest quantity that the market takes in place of a part; null for a part that is large enough. */
function smallestInstead({ market, mark, isBuy, quantity, reduces, held }: Part): bigint | null {
  const order = { side: toSide(isBuy), price: null, quantity, reference: mark }
  const closing = { reduceOnly: reduces, closable: held }
  const { broken } = checkOrder(market, { ...order, ...closing })
  const small = broken.find(({ rule }) => TOO_SMALL_RULES.has(rule))
  return small ? larger(small.corrected, market.baseTick) : null
}

const TOO_SMALL_RULES: ReadonlySet<RuleName> = new Set(['base_tick', 'base_min', 'min_notional'])

function isSendable(part: Part): boolean {
  return smallestInstead(part) === null
}

function toSide(isBuy: boolean): Side {
  return isBuy ? 'BUY' : 'SELL'
}

function toPlannedWrite({ market, mark, isBuy, quantity, reduces, mode }: Part): PlannedWrite {
  return {
    symbol: market.symbol,
    side: toSide(isBuy),
    order_quantity: amountNumber(quantity),
    reduce_only: reduces,
    ...(mode !== null && { margin_mode: mode }),
    value_usdc: toUsdcNumber(product(quantity, mark)),
  }
}

function toTooSmall(part: Part): TooSmall {
  const smallest = smallestInstead(part) ?? part.quantity
  return { ...toPlannedWrite(part), smallest_quantity: amountNumber(smallest) }
}

function toPlannedMarket(
  { market, mark, weight }: Target,
  value: bigint,
  held: bigint,
): PlannedMarket {
  return {
    symbol: market.symbol,
    target_weight: amountNumber(weight),
    weight: accountWeight(product(held, mark), value),
    position_qty: amountNumber(held),
    mark_price: amountNumber(mark),
  }
}

/** A notional value as a fraction of the account value, with four decimals. */
function accountWeight(notional: bigint, value: bigint): number {
  return Number(amountNumber(quotient(notional, value)).toFixed(4))
}
