import {
  absolute,
  divided,
  type Fill,
  larger,
  leftOf,
  marketOf,
  ONE,
  openOrders,
  positionOf,
  type Reference,
  type RefOrder,
  type RefPosition,
  type Slot,
  share,
  slotsOf,
  TAKER,
  unitOf,
} from './book.ts'

function ratesOf(ref: Reference, market: number, leverage: number, notional: bigint) {
  const { spec } = marketOf(ref, market)
  const grown = (factor: number) =>
    BigInt(Math.round(Math.min(factor * (Number(notional) / 1e6) ** 0.8, 1000) * 1e8))
  return {
    initial: [ONE / BigInt(leverage), BigInt(spec.baseImr), grown(spec.imrFactor)].reduce(larger),
    maintenance: larger(
      BigInt(spec.baseMmr),
      grown((spec.baseMmr / spec.baseImr) * spec.imrFactor),
    ),
  }
}

/** Everything that an account's orders in a market would still trade. */
function pendingOf(ref: Reference, slot: Slot, side: 1 | -1) {
  const orders = openOrders(ref, slot).filter((o) => o.side === side && !o.reduceOnly)
  return {
    quantity: orders.reduce((sum, order) => sum + leftOf(order), 0n),
    value: orders.reduce((sum, order) => sum + leftOf(order) * order.valued, 0n),
  }
}

function withOrders(ref: Reference, slot: Slot): bigint {
  const { quantity } = positionOf(ref, slot)
  const buys = pendingOf(ref, slot, 1).quantity
  const sells = pendingOf(ref, slot, -1).quantity
  return larger(absolute(quantity + buys), absolute(quantity - sells))
}

export function isolatedShare({ leverage }: RefPosition, notional: bigint): bigint {
  return share(notional, ONE / BigInt(leverage) + 60_000n)
}

/** What isolated orders hold back. */
function frozenOf(ref: Reference, slot: Slot): bigint {
  const position = positionOf(ref, slot)
  const grown = ([1, -1] as const).map((side) => {
    const { quantity, value } = pendingOf(ref, slot, side)
    const closes = larger(0n, -BigInt(side) * position.quantity)
    return quantity <= closes ? 0n : divided(value * (quantity - closes), quantity, 'ceil')
  })
  return isolatedShare(position, grown.reduce(larger) * unitOf(ref, slot.market))
}

function resultOf(ref: Reference, slot: Slot): bigint {
  const { quantity, cost } = positionOf(ref, slot)
  return quantity * marketOf(ref, slot.market).mark * unitOf(ref, slot.market) - cost
}

/** Micro-USDC that USDT counts for: 95 % of at most 200,000. */
function tetherValue(tethers: bigint): bigint {
  const counted = tethers < 200_000n * ONE ? tethers : 200_000n * ONE
  return (counted * 95n) / 10_000n
}

export function marginOf(ref: Reference, owner: number) {
  let collateral = (ref.holdings[owner] ?? 0n) + tetherValue(ref.tethers[owner] ?? 0n)
  let notional = 0n
  let initial = 0n
  let maintenance = 0n
  for (const market of ref.markets.keys()) {
    const slot = { owner, market, isolated: false }
    const position = positionOf(ref, slot)
    collateral -= frozenOf(ref, { ...slot, isolated: true })
    const value = marketOf(ref, market).mark * unitOf(ref, market)
    const held = absolute(position.quantity) * value
    const ordered = withOrders(ref, slot) * value
    collateral += resultOf(ref, slot)
    notional += held
    maintenance += share(held, ratesOf(ref, market, position.leverage, held).maintenance)
    initial += share(ordered, ratesOf(ref, market, position.leverage, ordered).initial)
  }
  return { collateral, initial, maintenance, notional }
}

/** What one position is worth, needs and has won. */
export function marketAccountOf(ref: Reference, slot: Slot) {
  const { market } = slot
  const { quantity, leverage } = positionOf(ref, slot)
  const value = marketOf(ref, market).mark * unitOf(ref, market)
  const notional = absolute(quantity) * value
  const ordered = withOrders(ref, slot) * value
  const rates = ratesOf(ref, market, leverage, notional)
  return {
    notional,
    result: resultOf(ref, slot),
    maintenance: notional === 0n ? 0n : share(notional, rates.maintenance),
    initial: share(ordered, ratesOf(ref, market, leverage, ordered).initial),
  }
}

/** What a plan costs its taker at once. */
function costOf(ref: Reference, taker: RefOrder, fills: readonly Fill[]): bigint {
  const { mark } = marketOf(ref, taker.market)
  const unit = unitOf(ref, taker.market)
  return fills.reduce((cost, { maker, quantity }) => {
    const loss = BigInt(taker.side) * (maker.price - mark) * quantity * unit
    return cost + larger(0n, loss) + share(maker.price * quantity * unit, TAKER)
  }, 0n)
}

export function isShortOfMargin(ref: Reference, order: RefOrder, fills: readonly Fill[]): boolean {
  if (order.reduceOnly) return false
  const { owner, market } = order
  const position = positionOf(ref, order)
  const { spec, mark } = marketOf(ref, market)
  const value = mark * unitOf(ref, market)
  const cost = costOf(ref, order, fills)
  const margin = marginOf(ref, owner)
  if (margin.collateral - cost < margin.initial) return true
  const notional = absolute(position.quantity) * value
  const ordered = withOrders(ref, order) * value
  if (position.isolated && cost > 0n) {
    const added = larger(0n, ordered - notional)
    const needed = share(notional, ratesOf(ref, market, position.leverage, notional).maintenance)
    const backed = position.margin + resultOf(ref, order) + isolatedShare(position, added)
    if (Number(backed - cost) < Number(needed) + (Number(added) * spec.baseMmr) / 1e8) return true
  }
  const usdc = Math.floor(Math.min((1 / (position.leverage * spec.imrFactor)) ** 1.25, 4e9))
  if (ordered > larger(notional, BigInt(usdc) * 1_000_000n)) return true
  const added = ordered / value - absolute(position.quantity)
  return added > 0n && (openInterest(ref, market) + added) * value > BigInt(spec.openInterestMax)
}

function openInterest(ref: Reference, market: number): bigint {
  return [...ref.holdings.keys()]
    .flatMap((owner) => slotsOf(owner, market))
    .reduce((sum, slot) => sum + larger(0n, positionOf(ref, slot).quantity), 0n)
}

/** Whether an account's collateral and its leverages of a mode allow what it has and has ordered. */
export function isCovered(ref: Reference, { owner, isolated }: Omit<Slot, 'market'>): boolean {
  const { collateral, initial } = marginOf(ref, owner)
  return (
    collateral >= initial &&
    ref.markets.every(({ spec, mark }, market) => {
      const slot = { owner, market, isolated }
      const { leverage } = positionOf(ref, slot)
      const usdc = Math.floor(Math.min((1 / (leverage * spec.imrFactor)) ** 1.25, 4e9))
      const ordered = withOrders(ref, slot) * mark * BigInt(spec.unit)
      return ordered <= BigInt(usdc) * 1_000_000n
    })
  )
}
