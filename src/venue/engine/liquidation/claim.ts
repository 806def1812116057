import { exposureOf } from '../accounts.ts'
import { nextId } from '../exchange.ts'
import { watch } from '../margin/solvency.ts'
import { worthOf } from '../markets.ts'
import { fillPosition } from '../positions/fill.ts'
import type { Scene, World } from '../world.ts'
import { planUnwind, roomiest } from './takeover.ts'

/**
 * Lets a liquidator claim what the insurance fund holds in a market, at the mark and a discount. Answers what the fund
 * still holds.
 */
export function claim(world: World, scene: Scene, atMs: number): number {
  const { exchange, fund } = world
  const { market, listed } = scene
  const held = exposureOf(fund, market)
  const { quantity } = held
  if (quantity === 0) return 0
  const notional = worthOf(market.spec, market.mark, Math.abs(quantity))
  const liquidator = roomiest(world, fund, market, notional)
  if (!liquidator) return quantity
  const discount = Math.floor(notional * Number(listed.tier.claimDiscount))
  const terms = { price: market.mark, atMs }
  fillPosition(exchange, held, { ...terms, quantity: -quantity, fee: discount })
  fillPosition(exchange, exposureOf(liquidator, market), { ...terms, quantity, fee: -discount })
  watch(exchange, liquidator)
  planUnwind(world, liquidator, market.number, atMs)
  const claimed = { id: nextId(exchange), market, to: liquidator, quantity, discount, ...terms }
  for (const observer of exchange.observers) observer.claimed?.(claimed)
  return 0
}
