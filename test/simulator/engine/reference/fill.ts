import {
  absolute,
  closable,
  divided,
  marketOf,
  positionOf,
  type Reference,
  type RefOrder,
  type Slot,
  smaller,
} from './book.ts'
import { isolatedShare } from './margin.ts'

/** One execution on one position; answers what it realised. */
export function fillPosition(
  ref: Reference,
  order: Slot & Pick<RefOrder, 'side'>,
  quantity: bigint,
  price: bigint,
  fee: bigint,
): bigint {
  const { owner, market, side } = order
  const position = positionOf(ref, order)
  const { spec } = marketOf(ref, market)
  const held = absolute(position.quantity)
  const closes = smaller(quantity, closable(ref, order))
  const opens = quantity - closes
  const price8 = price * BigInt(spec.tick)
  const value = (steps: bigint) => BigInt(side) * steps * price * BigInt(spec.unit)
  let realized = 0n
  if (closes > 0n) {
    const closingFee = divided(fee * closes, quantity, 'floor')
    const won = (price8 - position.averageOpen) * -BigInt(side) * closes * BigInt(spec.step)
    realized = divided(won, 10_000_000_000n, 'floor')
    const cost = value(closes) + closingFee
    if (position.isolated) {
      const margin = divided(position.margin * closes, held, 'floor')
      const paid = divided(position.cost * closes, held, 'ceil')
      position.margin -= margin
      position.cost -= paid
      ref.holdings[owner] = (ref.holdings[owner] ?? 0n) + margin - paid - cost
    } else position.cost += cost
    position.quantity += BigInt(side) * closes
    fee -= closingFee
    if (position.quantity === 0n) position.averageOpen = 0n
  }
  if (opens > 0n) {
    const before = absolute(position.quantity)
    const sum = before * position.averageOpen + opens * price8
    position.averageOpen = divided(2n * sum + before + opens, 2n * (before + opens), 'floor')
    position.quantity += BigInt(side) * opens
    position.cost += value(opens) + fee
    if (position.isolated) {
      const margin = isolatedShare(position, absolute(value(opens)))
      position.margin += margin
      ref.holdings[owner] = (ref.holdings[owner] ?? 0n) - margin
    }
  }
  return realized
}
