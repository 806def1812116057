import {
  closable,
  type Fill,
  larger,
  leftOf,
  MAKER,
  marketOf,
  modeOf,
  openOrders,
  planOf,
  RESTING,
  type Reference,
  type RefOrder,
  type RefRequest,
  share,
  shownLevels,
  smaller,
  TAKER,
  unitOf,
} from './book.ts'
import { fillPosition } from './fill.ts'
import { breaksFilter, moved, priceOf } from './filters.ts'
import { isShortOfMargin } from './margin.ts'

/** Places an order: the order as it ends up, or the name of the refusal. */
export function place(ref: Reference, request: RefRequest): RefOrder | string {
  const { owner, market, side, type, reduceOnly } = request
  const price = priceOf(ref, request)
  if (price === null) return 'rejected'
  const [best] = shownLevels(ref, market, side === 1 ? -1 : 1)
  const { spec, mark } = marketOf(ref, market)
  const reference = price === 0n ? (best?.price ?? mark) : price
  const quantity = BigInt(request.quantity)
  const order: RefOrder = {
    id: ref.sequence + 1,
    owner,
    market,
    isolated: modeOf(ref, request),
    side,
    type,
    reduceOnly,
    price,
    valued: reference,
    quantity,
    visible: request.visible === null ? quantity : BigInt(request.visible),
    executed: 0n,
    fee: 0n,
    realizedPnl: 0n,
    status: 'NEW',
    priority: 0,
  }
  const closes = closable(ref, order)
  const isFullClose = reduceOnly && closes > 0n && quantity >= closes
  const broken = breaksFilter(ref, order, reference, isFullClose)
  if (broken) return broken
  if (reduceOnly && closes === 0n) return 'rejected'
  if (openOrders(ref, { owner }).length >= 500) return 'rejected'
  let limit = price
  if (type === 'MARKET') {
    limit = moved(mark, side, BigInt(spec.priceRange))
    if (request.slippage !== null) {
      const slipped = moved(reference, side, BigInt(request.slippage))
      limit = side === 1 ? smaller(limit, slipped) : larger(limit, slipped)
    }
  }
  ref.orders.push(order)
  const plan = planOf(ref, order, reduceOnly ? smaller(quantity, closes) : quantity, limit)
  if (isShortOfMargin(ref, order, plan.fills)) {
    ref.orders.pop()
    return 'risk'
  }
  ref.sequence += 1
  enter(ref, order, limit)
  return order
}

/** Changes an order's price and quantity: null, or the name of the refusal. */
export function edit(ref: Reference, order: RefOrder, price: bigint, quantity: bigint) {
  if (!openOrders(ref).includes(order)) return 'notFound'
  const visible = order.visible === order.quantity ? quantity : smaller(order.visible, quantity)
  const changed = { ...order, price, quantity, visible }
  const left = quantity - order.executed
  const isFullClose = order.reduceOnly && left >= closable(ref, order)
  const broken = breaksFilter(ref, changed, price, isFullClose)
  if (broken) return broken
  if (left <= 0n) return 'size'
  const before = { ...order }
  Object.assign(order, { price, valued: price, quantity, visible })
  const { fills } = planOf(ref, order, takeable(ref, order), price)
  if (isShortOfMargin(ref, order, fills)) {
    Object.assign(order, before)
    return 'risk'
  }
  if (price === before.price && quantity <= before.quantity) return null
  order.priority = 0
  enter(ref, order, price)
  return null
}

function takeable(ref: Reference, order: RefOrder): bigint {
  return order.reduceOnly ? smaller(leftOf(order), closable(ref, order)) : leftOf(order)
}

function enter(ref: Reference, order: RefOrder, limit: bigint): void {
  const plan = planOf(ref, order, takeable(ref, order), limit)
  const meetsShown = plan.fills.some(({ maker }) => maker.visible > 0n)
  const isRefused =
    (order.type === 'FOK' && plan.left > 0n) ||
    (order.type === 'POST_ONLY' && (meetsShown || plan.own.length > 0))
  if (!isRefused) {
    for (const own of plan.own) own.status = 'CANCELLED'
    for (const fill of plan.fills) execute(ref, order, fill)
    for (const { owner, market, isolated } of [order, ...plan.fills.map(({ maker }) => maker)])
      for (const open of openOrders(ref, { owner, market, isolated }))
        if (open.reduceOnly && closable(ref, open) === 0n) open.status = 'CANCELLED'
  }
  if (order.status !== 'NEW' && order.status !== 'PARTIAL_FILLED') return
  if (RESTING.includes(order.type) && !isRefused) {
    ref.sequence += 1
    order.priority = ref.sequence
  } else order.status = 'CANCELLED'
}

function execute(ref: Reference, taker: RefOrder, { maker, quantity, isHidden }: Fill): void {
  const notional = maker.price * quantity * unitOf(ref, taker.market)
  const fees = [
    { order: taker, fee: share(notional, taker.type === 'POST_ONLY' ? MAKER : TAKER) },
    { order: maker, fee: share(notional, isHidden ? TAKER : MAKER) },
  ]
  for (const { order, fee } of fees) {
    order.executed += quantity
    order.fee += fee
    order.status = leftOf(order) === 0n ? 'FILLED' : 'PARTIAL_FILLED'
    order.realizedPnl += fillPosition(ref, order, quantity, maker.price, fee)
  }
}
