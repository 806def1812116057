import type { MarketSpec } from '../../../../src/venue/state/market-spec.ts'

/**
 * The exchange once more, as its rules read: lists that are sorted whenever they are looked at, exact integers, margins
 * summed anew for every order. Slow, short, and without a line in common with the engine.
 */

export type RefOrder = {
  readonly id: number
  readonly owner: number
  readonly market: number
  readonly side: 1 | -1
  readonly type: string
  readonly reduceOnly: boolean
  price: bigint
  valued: bigint
  quantity: bigint
  visible: bigint
  executed: bigint
  fee: bigint
  realizedPnl: bigint
  status: string
  /** Place in the queue at its price. */
  priority: number
}

export type RefPosition = {
  quantity: bigint
  cost: bigint
  averageOpen: bigint
  isolated: boolean
  margin: bigint
  leverage: number
  /** Of the margin mode that is not in use. */
  spareLeverage: number
}

export type RefRequest = {
  readonly owner: number
  readonly market: number
  readonly side: 1 | -1
  readonly type: string
  readonly price: number
  readonly quantity: number
  readonly visible: number | null
  readonly reduceOnly: boolean
  readonly slippage: number | null
  readonly level: number
  readonly adjusts: boolean
  readonly isolated: boolean | null
}

export type RefMarket = { readonly spec: MarketSpec; mark: bigint }

export type Reference = {
  readonly markets: RefMarket[]
  readonly holdings: bigint[]
  /** USDT that backs positions, eight decimals. */
  readonly tethers: bigint[]
  readonly positions: Map<string, RefPosition>
  readonly orders: RefOrder[]
  sequence: number
  /** Whether an account has an algo order open in a market. */
  hasAlgos: (owner: number, market: number) => boolean
}

/** What accounts begin with. */
export const LEVERAGE = 25
export const ONE = 100_000_000n
export const TAKER = 60_000n
export const MAKER = 20_000n
export const RESTING = ['LIMIT', 'POST_ONLY', 'ASK', 'BID']

export function createReference(
  markets: readonly { readonly spec: MarketSpec; readonly mark: number }[],
  holdings: readonly number[],
): Reference {
  return {
    markets: markets.map(({ spec, mark }) => ({ spec, mark: BigInt(mark) })),
    holdings: holdings.map(BigInt),
    tethers: holdings.map(() => 0n),
    positions: new Map(),
    orders: [],
    sequence: 0,
    hasAlgos: () => false,
  }
}

export function positionOf(ref: Reference, owner: number, market: number): RefPosition {
  const key = `${owner}/${market}`
  const known = ref.positions.get(key)
  if (known) return known
  const leverage = Math.min(LEVERAGE, Number(ONE) / (ref.markets[market]?.spec.baseImr ?? 1))
  const fresh = {
    quantity: 0n,
    cost: 0n,
    averageOpen: 0n,
    isolated: false,
    margin: 0n,
    leverage,
    spareLeverage: leverage,
  }
  ref.positions.set(key, fresh)
  return fresh
}

export function marketOf(ref: Reference, market: number): RefMarket {
  const found = ref.markets[market]
  if (!found) throw new Error('no such market')
  return found
}

export const unitOf = (ref: Reference, market: number) => BigInt(marketOf(ref, market).spec.unit)
export const absolute = (value: bigint) => (value < 0n ? -value : value)
export const smaller = (a: bigint, b: bigint) => (a < b ? a : b)
export const larger = (a: bigint, b: bigint) => (a > b ? a : b)
export const leftOf = ({ quantity, executed }: RefOrder) => quantity - executed

export function divided(dividend: bigint, divisor: bigint, rounding: 'floor' | 'ceil'): bigint {
  const simulation = dividend / divisor - (dividend % divisor < 0n ? 1n : 0n)
  return rounding === 'ceil' && simulation * divisor !== dividend ? simulation + 1n : simulation
}

export const share = (amount: bigint, rate: bigint) => divided(amount * rate, ONE, 'ceil')

export function openOrders(ref: Reference, owner?: number, market?: number): RefOrder[] {
  return ref.orders.filter(
    (order) =>
      (order.status === 'NEW' || order.status === 'PARTIAL_FILLED') &&
      (owner === undefined || order.owner === owner) &&
      (market === undefined || order.market === market),
  )
}

/** One side of a book, best and oldest first. */
function sideOf(ref: Reference, market: number, side: 1 | -1): RefOrder[] {
  return openOrders(ref, undefined, market)
    .filter((order) => order.side === side && order.priority > 0)
    .sort((a, b) =>
      a.price === b.price ? a.priority - b.priority : (a.price > b.price ? -1 : 1) * side,
    )
}

export function closable(
  ref: Reference,
  order: Pick<RefOrder, 'owner' | 'market' | 'side'>,
  drift = 0n,
) {
  const { quantity } = positionOf(ref, order.owner, order.market)
  return larger(0n, -BigInt(order.side) * (quantity + drift))
}

export function shownLevels(ref: Reference, market: number, side: 1 | -1) {
  const levels = new Map<bigint, bigint>()
  for (const order of sideOf(ref, market, side)) {
    let shown = smaller(order.visible, leftOf(order))
    if (order.reduceOnly) shown = smaller(shown, closable(ref, order))
    if (shown > 0n) levels.set(order.price, (levels.get(order.price) ?? 0n) + shown)
  }
  return [...levels].map(([price, quantity]) => ({ price, quantity }))
}

export type Fill = {
  readonly maker: RefOrder
  readonly quantity: bigint
  readonly isHidden: boolean
}

/** What an order would meet, up to a quantity and a limit. */
export function planOf(ref: Reference, taker: RefOrder, quantity: bigint, limit: bigint) {
  const fills: Fill[] = []
  const own: RefOrder[] = []
  const drifts = new Map<number, bigint>()
  let left = quantity
  for (const maker of sideOf(ref, taker.market, taker.side === 1 ? -1 : 1)) {
    if (left === 0n || (taker.side === 1 ? maker.price > limit : maker.price < limit)) break
    if (maker.owner === taker.owner) {
      own.push(maker)
      continue
    }
    let taken = smaller(left, leftOf(maker))
    if (maker.reduceOnly) taken = smaller(taken, closable(ref, maker, drifts.get(maker.owner)))
    const hidden = smaller(taken, larger(0n, leftOf(maker) - maker.visible))
    if (hidden > 0n) fills.push({ maker, quantity: hidden, isHidden: true })
    if (taken > hidden) fills.push({ maker, quantity: taken - hidden, isHidden: false })
    left -= taken
    drifts.set(maker.owner, (drifts.get(maker.owner) ?? 0n) + BigInt(maker.side) * taken)
  }
  return { fills, own, left: left + leftOf(taker) - quantity }
}

export function feesOf(ref: Reference, market: number) {
  const { liquidationFee, liquidatorFee } = marketOf(ref, market).spec
  return { user: liquidationFee, liquidator: liquidatorFee }
}
