import type { MarketSpec } from '../../../../src/simulator/state/market-spec.ts'

/**
 * The exchange once more, as its rules read: lists that are sorted whenever they are looked at, exact integers, margins
 * summed anew for every order. Slow, short, and without a line in common with the engine.
 */

/** An account's part in a market with cross or isolated margin. */
export type Slot = {
  readonly owner: number
  readonly market: number
  readonly isolated: boolean
}

export type RefOrder = Slot & {
  readonly id: number
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
  readonly isolated: boolean
  margin: bigint
  leverage: number
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
  /** Owners and markets whose orders are isolated unless they name a mode. */
  readonly isolatedByDefault: Set<string>
  readonly orders: RefOrder[]
  sequence: number
  /** Whether an account has an algo order open in a market and mode. */
  hasAlgos: (slot: Slot) => boolean
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
    isolatedByDefault: new Set(),
    orders: [],
    sequence: 0,
    hasAlgos: () => false,
  }
}

export function positionOf(ref: Reference, { owner, market, isolated }: Slot): RefPosition {
  const key = `${owner}/${market}/${isolated}`
  const known = ref.positions.get(key)
  if (known) return known
  const leverage = Math.min(LEVERAGE, Number(ONE) / (ref.markets[market]?.spec.baseImr ?? 1))
  const fresh = {
    quantity: 0n,
    cost: 0n,
    averageOpen: 0n,
    isolated,
    margin: 0n,
    leverage,
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

export function openOrders(
  ref: Reference,
  { owner, market, isolated }: Partial<Slot> = {},
): RefOrder[] {
  return ref.orders.filter(
    (order) =>
      (order.status === 'NEW' || order.status === 'PARTIAL_FILLED') &&
      (owner === undefined || order.owner === owner) &&
      (market === undefined || order.market === market) &&
      (isolated === undefined || order.isolated === isolated),
  )
}

/** One side of a book, best and oldest first. */
function sideOf(ref: Reference, market: number, side: 1 | -1): RefOrder[] {
  return openOrders(ref, { market })
    .filter((order) => order.side === side && order.priority > 0)
    .sort((a, b) =>
      a.price === b.price ? a.priority - b.priority : (a.price > b.price ? -1 : 1) * side,
    )
}

export function closable(ref: Reference, order: Slot & Pick<RefOrder, 'side'>, drift = 0n) {
  const { quantity } = positionOf(ref, order)
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
  const drifts = new Map<RefPosition, bigint>()
  let left = quantity
  for (const maker of sideOf(ref, taker.market, taker.side === 1 ? -1 : 1)) {
    if (left === 0n || (taker.side === 1 ? maker.price > limit : maker.price < limit)) break
    if (maker.owner === taker.owner) {
      own.push(maker)
      continue
    }
    const position = positionOf(ref, maker)
    let taken = smaller(left, leftOf(maker))
    if (maker.reduceOnly) taken = smaller(taken, closable(ref, maker, drifts.get(position)))
    const hidden = smaller(taken, larger(0n, leftOf(maker) - maker.visible))
    if (hidden > 0n) fills.push({ maker, quantity: hidden, isHidden: true })
    if (taken > hidden) fills.push({ maker, quantity: taken - hidden, isHidden: false })
    left -= taken
    drifts.set(position, (drifts.get(position) ?? 0n) + BigInt(maker.side) * taken)
  }
  return { fills, own, left: left + leftOf(taker) - quantity }
}

export const MODES = [false, true] as const

/** What an account may have in a market, cross before isolated. */
export function slotsOf(owner: number, market: number): readonly Slot[] {
  return MODES.map((isolated) => ({ owner, market, isolated }))
}

/** The mode of an order: its own, or the default of its account in the market. */
export function modeOf(
  { isolatedByDefault }: Reference,
  { owner, market, isolated }: Omit<Slot, 'isolated'> & { readonly isolated: boolean | null },
): boolean {
  return isolated ?? isolatedByDefault.has(`${owner}/${market}`)
}

export function feesOf(ref: Reference, market: number) {
  const { liquidationFee, liquidatorFee } = marketOf(ref, market).spec
  return { user: liquidationFee, liquidator: liquidatorFee }
}
