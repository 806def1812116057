import { exposureOf } from '../accounts.ts'
import { plan } from '../events/queue.ts'
import { watch } from '../margin/solvency.ts'
import { worthOf } from '../markets.ts'
import { fillPosition } from '../positions/fill.ts'
import type { Scene, World } from '../world.ts'
import { roomiest } from './takeover.ts'

const UNWIND_AFTER_MS = 5000

/**
 * Lets a liquidator claim what the insurance fund holds in a market, at the mark and a discount. Answers what the fund
 * still holds.
 */
export function claim(world: World, scene: Scene, atMs: number): number {
  const { exchange, fund, queue, agentOf } = world
  const { market, listed } = scene
  const held = exposureOf(fund, market)
  const { quantity } = held
  if (quantity === 0) return 0
  const notional = worthOf(market.spec, market.mark, Math.abs(quantity))
  const liquidator = roomiest(world, fund, notional)
  const agent = liquidator && agentOf.get(liquidator.number)
  if (!liquidator || !agent) return quantity
  const discount = Math.floor(notional * Number(listed.tier.claimDiscount))
  const terms = { price: market.mark, atMs }
  fillPosition(exchange, held, { ...terms, quantity: -quantity, fee: discount })
  fillPosition(exchange, exposureOf(liquidator, market), { ...terms, quantity, fee: -discount })
  watch(exchange, liquidator)
  for (const { claimed } of exchange.observers) claimed?.({ ...terms, market, quantity, discount })
  plan(queue, atMs + UNWIND_AFTER_MS, 'unwind', agent.number, market.number)
  return 0
}
