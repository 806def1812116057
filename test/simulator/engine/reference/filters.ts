import {
  divided,
  larger,
  marketOf,
  ONE,
  type Reference,
  type RefOrder,
  type RefRequest,
  shownLevels,
  smaller,
} from './book.ts'

export function moved(mark: bigint, side: 1 | -1, rate: bigint): bigint {
  return divided(mark * (ONE + BigInt(side) * rate), ONE, side === 1 ? 'floor' : 'ceil')
}

export function priceOf(ref: Reference, request: RefRequest): bigint | null {
  const { market, side, type, level, adjusts } = request
  if (type === 'MARKET') return 0n
  if (type === 'ASK' || type === 'BID')
    return shownLevels(ref, market, type === 'ASK' ? -1 : 1)[level]?.price ?? null
  const [best] = shownLevels(ref, market, side === 1 ? -1 : 1)
  const price = BigInt(request.price)
  if (!adjusts || !best) return price
  return side === 1 ? smaller(price, best.price - 1n) : larger(price, best.price + 1n)
}

export function breaksFilter(
  ref: Reference,
  order: Pick<RefOrder, 'owner' | 'market' | 'side' | 'price' | 'quantity' | 'visible'>,
  reference: bigint,
  isFullClose: boolean,
): string | null {
  const { spec, mark } = marketOf(ref, order.market)
  const { side, price, quantity, visible } = order
  if (visible < 0n || visible > quantity) return 'parameter'
  if (price !== 0n && (price < 1n || price > BigInt(spec.priceMax))) return 'price'
  if (quantity < BigInt(spec.quantityMin) || quantity > BigInt(spec.quantityMax)) return 'size'
  const notional = reference * quantity * BigInt(spec.unit)
  if (!isFullClose && notional < BigInt(spec.notionalMin)) return 'notional'
  if (price === 0n) return null
  const through = mark * (ONE + BigInt(side * spec.priceRange))
  const away = mark * (ONE - BigInt(side * spec.priceScope))
  if (side === 1 ? price * ONE > through : price * ONE < through) return 'percentage'
  return (side === 1 ? price * ONE < away : price * ONE > away) ? 'percentage' : null
}
