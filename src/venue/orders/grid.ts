import { isMultiple } from '../../core/decimals.ts'
import type { Market } from '../engine/state.ts'
import { refusal } from '../wire/refusals.ts'

/** A price of eight decimals in ticks. Throws -1103 when it lies between two. */
export function ticksOf(price: bigint, { spec }: Market): number {
  const tick = BigInt(spec.tick)
  if (!isMultiple(price, tick))
    throw refusal('price', 'The order price is not on the tick size (quote_tick).')
  return Number(price / tick)
}

/** A quantity of eight decimals in steps. Throws -1104 when it lies between two. */
export function stepsOf(quantity: bigint, { spec }: Market, name: string): number {
  const step = BigInt(spec.step)
  if (!isMultiple(quantity, step))
    throw refusal('size', `The ${name} is not on the step size (base_tick).`)
  return Number(quantity / step)
}
