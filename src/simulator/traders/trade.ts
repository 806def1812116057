import { MICRO } from '../base/units.ts'
import { cancel } from '../book/open-orders.ts'
import { placeOrder } from '../orders/place.ts'
import type { OrderRequest } from '../orders/request.ts'
import { MEAN_TAKE } from '../past/tape.ts'
import { Rejection } from '../state/rejections.ts'
import type { EngineMarket, EngineOrder } from '../state/state.ts'
import type { Agent, EngineWorld, Scene } from '../state/world.ts'

/** An agent's order. All members that are absent have defaults. */
export type AgentOrder = Pick<OrderRequest, 'market' | 'side' | 'quantity'> &
  Partial<Pick<OrderRequest, 'type' | 'price' | 'reduceOnly' | 'adjusts'>>

/** Places an order as any account would. Returns null if the exchange refuses it. */
export function trade(
  world: EngineWorld,
  agent: Agent,
  terms: AgentOrder,
  atMs: number,
): EngineOrder | null {
  if (terms.quantity < 1) return null
  world.counts.operations += 1
  const { market, side, quantity, type = 'LIMIT', price = 0 } = terms
  const { reduceOnly = false, adjusts = false } = terms
  // The members are listed, since copying spread objects would take a tenth of an order's time.
  const request: OrderRequest = {
    account: agent.account,
    market,
    side,
    type,
    price,
    quantity,
    amount: null,
    visible: null,
    reduceOnly,
    clientOrderId: null,
    orderTag: null,
    slippage: null,
    level: 0,
    adjusts,
    isolated: null,
  }
  const placed = placeOrder(world.exchange, request, atMs)
  return placed instanceof Rejection ? null : placed
}

/** Cancels an agent's order if it is still open. */
export function cancelIfOpen(world: EngineWorld, order: EngineOrder, atMs: number): void {
  if (!order.level) return
  world.counts.operations += 1
  cancel(world.exchange, order, atMs)
}

/** The position of an agent in a market, in steps. */
export function agentPosition({ account }: Agent, market: EngineMarket): number {
  return account.marketAccounts.get(market.number)?.quantity ?? 0
}

/** The number of steps that a sum of USDC can buy, at most the maximum of one order. */
export function affordableSteps(scene: Scene, usdc: number): number {
  return Math.min(scene.market.spec.quantityMax, wholeSteps(scene, usdc))
}

/** The number of steps that are worth a sum of USDC. */
export function wholeSteps({ market, index }: Scene, usdc: number): number {
  return Math.round((usdc * MICRO) / (index * market.spec.unit))
}

/** The usual value in USDC of a market's best level. */
export function bestLevelUsdc({ listed }: Scene): number {
  return listed.dailyTurnoverUsdc / (listed.tier.tradesPerMinute * MINUTES_A_DAY * MEAN_TAKE)
}

const MINUTES_A_DAY = 1440
