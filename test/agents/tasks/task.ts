import type { Loose, ToolWorld } from '../tool-world.ts'

/** Calls a tool. `slip` is what a clumsy player sends first, in place of `args`. */
export type Play = (tool: string, args: object, slip?: object) => Promise<Loose>

/** Something a person asks of an agent, with an answer or an effect that can be checked. */
export type Task = {
  readonly id: string
  /** The agent's prompt. */
  readonly prompt: string
  /** Makes the situation: orders and positions that are there already. */
  readonly prepare?: (world: ToolWorld) => Promise<unknown>
  /** How a scripted player does it; answers its reply to the person. */
  readonly script: (play: Play) => Promise<unknown>
  /** Whether the answer is right, or what was asked for is done and nothing else. */
  readonly check: (world: ToolWorld, answer: string) => Promise<boolean>
}

export const BTC = 'PERP_BTC_USDC'
export const ETH = 'PERP_ETH_USDC'
export const SOL = 'PERP_SOL_USDC'

/** Whether an answer in words names a figure, give or take a thousandth. */
export function names(answer: string, figure: number): boolean {
  const numbers = answer.replaceAll(',', '').match(/-?\d+(?:\.\d+)?(?:e-?\d+)?/gi) ?? []
  return numbers.some((text) => Math.abs(Number(text) - figure) <= Math.abs(figure) / 1000)
}

export async function positionIn(world: ToolWorld, symbol: string): Promise<Loose> {
  const { positions } = await world.call('list_positions')
  return positions.find((row: Loose) => row.symbol === symbol)
}

export async function resting(world: ToolWorld): Promise<Loose[]> {
  return (await world.call('list_orders', { size: 100 })).orders
}

export async function markOf(world: ToolWorld, symbol: string): Promise<number> {
  return (await world.call('get_market', { symbol })).market.mark_price
}

/** Buys at the market for so many USDC. */
export function bought(symbol: string, usdc: number) {
  const order = { symbol, side: 'BUY', order_type: 'MARKET', order_amount: usdc }
  return (world: ToolWorld) => world.call('place_order', order)
}

/** Rests a buy order of 100 USDC at five percent under the mark. */
export async function rested(world: ToolWorld, symbol: string, more: object = {}): Promise<Loose> {
  const price = (await markOf(world, symbol)) * 0.95
  const order = { symbol, side: 'BUY', order_type: 'LIMIT', order_amount: 100, order_price: price }
  const { suggested } = await world.call('preview_order', { ...order, ...more })
  return world.call('place_order', suggested)
}
