import { toHex } from '../../../core/hex.ts'
import { keccak256 } from '../../../crypto/keccak.ts'
import { applyLeverage, deposit, exposureOf, openAccount } from '../accounts.ts'
import { placeOrder } from '../orders/place.ts'
import { PLAIN_ORDER } from '../orders/request.ts'
import type { Account, Side } from '../state.ts'
import { MICRO, ONE } from '../units.ts'
import type { Scene, World } from '../world.ts'
import { stepsOf } from './trade.ts'

/** A trader who comes with money of its own and takes one side with it. */
export type Newcomer = {
  readonly side: Side
  /** Micro-USDC. */
  readonly amount: number
  readonly leverage: number
}

const FEES = { taker: (6 * ONE) / 10_000, maker: (2 * ONE) / 10_000 }
/** In how many orders a newcomer asks for what its margin allows: the last are refused when prices ran away from it. */
const ORDERS = 10

/** Lets a newcomer in, who buys or sells at the market until its margin allows no more. Answers its account. */
export function crowdIn(world: World, scene: Scene, newcomer: Newcomer, atMs: number): Account {
  const { exchange, seed } = world
  const { market } = scene
  const { side, amount, leverage } = newcomer
  const key = keyOf(seed, exchange.accounts.length)
  const account = openAccount(exchange, { key, fees: FEES, leverage, kind: 'agent' })
  deposit(exchange, account, amount)
  const exposure = exposureOf(account, market)
  applyLeverage(exposure, leverage)
  const notional = Math.min(amount * exposure.leverage, exposure.notionalMax)
  const quantity = stepsOf(scene, notional / ORDERS / MICRO)
  const order = { ...PLAIN_ORDER, account, market, side, quantity, type: 'MARKET' } as const
  for (let placed = 0; placed < ORDERS && quantity >= 1; placed += 1) {
    world.counts.operations += 1
    placeOrder(exchange, order, atMs)
  }
  return account
}

/** An account id that nobody's wallet has. */
function keyOf(seed: number, number: number): string {
  return `0x${toHex(keccak256(Buffer.from(`${seed}/crowd/${number}`)))}`
}
