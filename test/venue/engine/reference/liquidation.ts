import { type Algos, cancelAlgo, openRoots } from './algos.ts'
import {
  absolute,
  closable,
  feesOf,
  marketOf,
  openOrders,
  positionOf,
  type Reference,
  share,
  smaller,
  unitOf,
} from './book.ts'
import { fillPosition } from './fill.ts'
import { marginOf, marketAccountOf } from './margin.ts'

/** Liquidations once more: whoever is below the maintenance margin goes, the account with the lowest number first. */
export type State = {
  readonly algos: Algos
  readonly fund: number
  readonly liquidators: readonly number[]
  /** How many were liquidated, and how many lots were closed against the other side. */
  readonly counts: { cross: number; isolated: number; adl: number }
}

type Record = { readonly owner: number; readonly collateral: number; readonly notional: number }

/** Micro-USDC. */
const WHOLE_BELOW = { 1: 10_000_000_000, 2: 5_000_000_000 } as const

/** Liquidates until nobody is below. */
export function liquidateAll(state: State): void {
  const { ref } = state.algos
  for (;;) {
    const owner = [...ref.holdings.keys()].find(
      (each) => each !== state.fund && isFailing(ref, each),
    )
    if (owner === undefined) return
    for (const market of ref.markets.keys())
      if (isIsolatedFailing(ref, owner, market)) liquidateIsolated(state, owner, market)
    if (isCrossFailing(ref, owner)) liquidateCross(state, owner)
  }
}

function isFailing(ref: Reference, owner: number): boolean {
  const markets = [...ref.markets.keys()]
  return isCrossFailing(ref, owner) || markets.some((at) => isIsolatedFailing(ref, owner, at))
}

function isCrossFailing(ref: Reference, owner: number): boolean {
  const { notional, collateral, maintenance } = marginOf(ref, owner)
  return notional > 0n && collateral < maintenance
}

function isIsolatedFailing(ref: Reference, owner: number, market: number): boolean {
  const { isolated, quantity, margin } = positionOf(ref, owner, market)
  const { result, maintenance } = marketAccountOf(ref, owner, market)
  return isolated && quantity !== 0n && margin + result < maintenance
}

function cancelIn({ algos }: State, owner: number, market?: number): void {
  for (const order of openOrders(algos.ref, owner, market)) order.status = 'CANCELLED'
  for (const root of openRoots(algos, owner, market)) cancelAlgo(root)
}

function crossPositions(ref: Reference, owner: number) {
  return [...ref.markets.keys()]
    .filter((market) => {
      const { isolated, quantity } = positionOf(ref, owner, market)
      return !isolated && quantity !== 0n
    })
    .map((market) => ({ market, ...marketAccountOf(ref, owner, market) }))
    .sort((a, b) => Number(b.notional - a.notional) || a.market - b.market)
}

function liquidateCross(state: State, owner: number): void {
  const { ref } = state.algos
  cancelIn(state, owner)
  if (!isCrossFailing(ref, owner)) return
  state.counts.cross += 1
  const { collateral, notional } = marginOf(ref, owner)
  const record = { owner, collateral: Number(collateral), notional: Number(notional) }
  for (let round = 0; round < 64; round++) {
    const margin = marginOf(ref, owner)
    if (margin.notional === 0n || margin.collateral >= margin.initial) return
    const fees = crossPositions(ref, owner).map(({ market }) => feesOf(ref, market).liquidator)
    if (Number(margin.collateral) * 1e8 < Number(margin.notional) * Math.max(...fees)) {
      surrender(state, record)
      return
    }
    for (const { market, quantity } of lotsOf(ref, owner)) takeOver(state, record, market, quantity)
  }
}

function lotsOf(ref: Reference, owner: number) {
  const positions = crossPositions(ref, owner)
  const single = positions.find(({ market }) => marketOf(ref, market).spec.liquidationTier === 2)
  const shrinking = single ? [single] : positions
  const sum = (of: (position: (typeof positions)[number]) => number) =>
    shrinking.reduce((total, position) => total + of(position), 0)
  const { collateral, initial } = marginOf(ref, owner)
  const gained = sum(
    (each) => Number(each.initial) - (Number(each.notional) * feesOf(ref, each.market).user) / 1e8,
  )
  const isSmall = sum(({ notional }) => Number(notional)) < WHOLE_BELOW[single ? 2 : 1]
  const part = isSmall || gained <= 0 ? 1 : Math.min(1, Number(initial - collateral) / gained)
  return shrinking.map(({ market }) => {
    const { quantity } = positionOf(ref, owner, market)
    const steps = BigInt(Math.ceil(Number(absolute(quantity)) * part))
    return { market, quantity: quantity < 0n ? -steps : steps }
  })
}

function liquidateIsolated(state: State, owner: number, market: number): void {
  const { ref } = state.algos
  state.counts.isolated += 1
  cancelIn(state, owner, market)
  const position = positionOf(ref, owner, market)
  const { result, notional } = marketAccountOf(ref, owner, market)
  const collateral = Number(position.margin + result)
  const record = { owner, collateral, notional: Number(notional) }
  const before = ref.holdings[owner] ?? 0n
  const isBankrupt = collateral * 1e8 < Number(notional) * feesOf(ref, market).liquidator
  if (isBankrupt) handToFund(state, record, market, position.quantity)
  else takeOver(state, record, market, position.quantity)
  sweep(ref, owner, market)
  const gained = (ref.holdings[owner] ?? 0n) - before
  if (isBankrupt || gained < 0n) pay(ref, owner, state.fund, gained)
}

function surrender(state: State, record: Record): void {
  const [{ ref }, { owner }] = [state.algos, record]
  for (const { market } of crossPositions(ref, owner))
    handToFund(state, record, market, positionOf(ref, owner, market).quantity)
  for (const market of ref.markets.keys()) {
    const { isolated, quantity } = positionOf(ref, owner, market)
    if (!isolated && quantity === 0n) sweep(ref, owner, market)
  }
  pay(ref, owner, state.fund, ref.holdings[owner] ?? 0n)
  ref.tethers[state.fund] = (ref.tethers[state.fund] ?? 0n) + (ref.tethers[owner] ?? 0n)
  ref.tethers[owner] = 0n
}

function takeOver(state: State, record: Record, market: number, quantity: bigint): void {
  const { ref } = state.algos
  const notional = notionalOf(ref, market, quantity)
  const { user, liquidator: half } = feesOf(ref, market)
  const rate = Math.min(user, Math.floor(Math.max(0, record.collateral / record.notional) * 1e8))
  const fee = share(notional, BigInt(rate))
  const liquidator = roomiest(state, record.owner, notional)
  const kept = liquidator === null ? 0n : smaller(fee, share(notional, BigInt(half)))
  const fees = { kept, fund: fee - kept }
  move(state, record.owner, liquidator ?? state.fund, market, quantity, fees)
}

function roomiest({ algos, liquidators }: State, except: number, notional: bigint): number | null {
  let best: number | null = null
  let most = (Number(notional) / 10) * 2
  for (const each of liquidators) {
    const { collateral, initial } = marginOf(algos.ref, each)
    if (each === except || Number(collateral - initial) <= most) continue
    best = each
    most = Number(collateral - initial)
  }
  return best
}

function handToFund(state: State, record: Record, market: number, quantity: bigint): void {
  const { ref } = state.algos
  const notional = Number(notionalOf(ref, market, quantity))
  const lacking = Math.max(0, (-record.collateral * notional) / record.notional)
  const fund = marginOf(ref, state.fund)
  const carries = Number(fund.collateral) - lacking >= 0.25 * (Number(fund.notional) + notional)
  const left = carries ? quantity : deleverage(state, record, market, quantity)
  if (left !== 0n) move(state, record.owner, state.fund, market, left, { kept: 0n, fund: 0n })
}

/** Closes against those of the other side who earn the most with the most leverage. Answers what is left. */
function deleverage(state: State, record: Record, market: number, quantity: bigint): bigint {
  const { ref } = state.algos
  const { mark, spec } = marketOf(ref, market)
  const lost = (record.collateral * Number(notionalOf(ref, market, quantity))) / record.notional
  const end = Number(mark) - lost / (Number(quantity) * spec.unit)
  const price = BigInt(Math.max(1, Math.round(end)))
  const others = [...ref.holdings.keys()]
    .filter((other) => {
      const held = positionOf(ref, other, market).quantity
      return other !== record.owner && held !== 0n && held < 0n === quantity > 0n
    })
    .map((other) => ({ other, score: scoreOf(ref, other, market) }))
    .sort((a, b) => b.score - a.score || a.other - b.other)
  let left = quantity
  for (const { other } of others) {
    if (left === 0n) break
    const steps = smaller(absolute(left), absolute(positionOf(ref, other, market).quantity))
    const taken = left < 0n ? -steps : steps
    state.counts.adl += 1
    move(state, record.owner, other, market, taken, { kept: 0n, fund: 0n }, price)
    left -= taken
  }
  return left
}

function scoreOf(ref: Reference, owner: number, market: number): number {
  const { result, notional } = marketAccountOf(ref, owner, market)
  const { isolated, margin } = positionOf(ref, owner, market)
  const backing = Number(isolated ? margin + result : marginOf(ref, owner).collateral)
  const gain = Number(result) / Number(notional)
  const leverage = Number(notional) / Math.max(1, backing)
  return gain > 0 ? gain * leverage : gain / Math.max(leverage, 1e-8)
}

type Fees = { readonly kept: bigint; readonly fund: bigint }

function move(
  state: State,
  from: number,
  to: number,
  market: number,
  quantity: bigint,
  { kept, fund }: Fees,
  price: bigint = marketOf(state.algos.ref, market).mark,
): void {
  const { ref } = state.algos
  const steps = absolute(quantity)
  const [sells, buys] = quantity > 0n ? ([-1, 1] as const) : ([1, -1] as const)
  fillPosition(ref, { owner: from, market, side: sells }, steps, price, kept + fund)
  fillPosition(ref, { owner: to, market, side: buys }, steps, price, -kept)
  positionOf(ref, state.fund, market).cost -= fund
  for (const owner of [from, to])
    for (const order of openOrders(ref, owner, market))
      if (order.reduceOnly && closable(ref, order) === 0n) order.status = 'CANCELLED'
}

function sweep(ref: Reference, owner: number, market: number): void {
  const position = positionOf(ref, owner, market)
  ref.holdings[owner] = (ref.holdings[owner] ?? 0n) - position.cost + position.margin
  position.cost = 0n
  position.margin = 0n
}

function pay(ref: Reference, from: number, to: number, amount: bigint): void {
  ref.holdings[from] = (ref.holdings[from] ?? 0n) - amount
  ref.holdings[to] = (ref.holdings[to] ?? 0n) + amount
}

function notionalOf(ref: Reference, market: number, quantity: bigint): bigint {
  return absolute(quantity) * marketOf(ref, market).mark * unitOf(ref, market)
}
