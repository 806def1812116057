import { cancelAlgo, openRoots } from './algos.ts'
import {
  absolute,
  feesOf,
  marketOf,
  openOrders,
  positionOf,
  type Reference,
  type Slot,
  share,
  smaller,
} from './book.ts'
import { marginOf, marketAccountOf } from './margin.ts'
import { crossOf, deleverage, move, notionalOf, type Record, type State } from './takeover.ts'

/** Liquidations once more: whoever is below the maintenance margin goes, the account with the lowest number first. */

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
    for (const slot of isolatedSlots(ref, owner))
      if (isIsolatedFailing(ref, slot)) liquidateIsolated(state, slot)
    if (isCrossFailing(ref, owner)) liquidateCross(state, owner)
  }
}

function isFailing(ref: Reference, owner: number): boolean {
  const isolated = isolatedSlots(ref, owner)
  return isCrossFailing(ref, owner) || isolated.some((slot) => isIsolatedFailing(ref, slot))
}

function isolatedSlots(ref: Reference, owner: number): Slot[] {
  return Array.from(ref.markets.keys(), (market) => ({ owner, market, isolated: true }))
}

function isCrossFailing(ref: Reference, owner: number): boolean {
  const { notional, collateral, maintenance } = marginOf(ref, owner)
  return notional > 0n && collateral < maintenance
}

function isIsolatedFailing(ref: Reference, slot: Slot): boolean {
  const { quantity, margin } = positionOf(ref, slot)
  const { result, maintenance } = marketAccountOf(ref, slot)
  return quantity !== 0n && margin + result < maintenance
}

function cancelIn({ algos }: State, of: Partial<Slot>): void {
  for (const order of openOrders(algos.ref, of)) order.status = 'CANCELLED'
  for (const root of openRoots(algos, of)) cancelAlgo(root)
}

function crossPositions(ref: Reference, owner: number) {
  return [...ref.markets.keys()]
    .map((market) => ({ owner, market, isolated: false }))
    .filter((slot) => positionOf(ref, slot).quantity !== 0n)
    .map((slot) => ({ slot, market: slot.market, ...marketAccountOf(ref, slot) }))
    .sort((a, b) => Number(b.notional - a.notional) || a.market - b.market)
}

function liquidateCross(state: State, owner: number): void {
  const { ref } = state.algos
  cancelIn(state, { owner })
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
    for (const { slot, quantity } of lotsOf(ref, owner)) takeOver(state, record, slot, quantity)
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
  return shrinking.map(({ slot }) => {
    const { quantity } = positionOf(ref, slot)
    const steps = BigInt(Math.ceil(Number(absolute(quantity)) * part))
    return { slot, quantity: quantity < 0n ? -steps : steps }
  })
}

function liquidateIsolated(state: State, slot: Slot): void {
  const { ref } = state.algos
  const { owner, market } = slot
  state.counts.isolated += 1
  cancelIn(state, slot)
  const position = positionOf(ref, slot)
  const { result, notional } = marketAccountOf(ref, slot)
  const collateral = Number(position.margin + result)
  const record = { owner, collateral, notional: Number(notional) }
  const before = ref.holdings[owner] ?? 0n
  const isBankrupt = collateral * 1e8 < Number(notional) * feesOf(ref, market).liquidator
  if (isBankrupt) handToFund(state, record, slot, position.quantity)
  else takeOver(state, record, slot, position.quantity)
  sweep(ref, slot)
  const gained = (ref.holdings[owner] ?? 0n) - before
  if (isBankrupt || gained < 0n) pay(ref, owner, state.fund, gained)
}

function surrender(state: State, record: Record): void {
  const [{ ref }, { owner }] = [state.algos, record]
  for (const { slot } of crossPositions(ref, owner))
    handToFund(state, record, slot, positionOf(ref, slot).quantity)
  for (const market of ref.markets.keys()) {
    const slot = { owner, market, isolated: false }
    if (positionOf(ref, slot).quantity === 0n) sweep(ref, slot)
  }
  pay(ref, owner, state.fund, ref.holdings[owner] ?? 0n)
  ref.tethers[state.fund] = (ref.tethers[state.fund] ?? 0n) + (ref.tethers[owner] ?? 0n)
  ref.tethers[owner] = 0n
}

function takeOver(state: State, record: Record, from: Slot, quantity: bigint): void {
  const { ref } = state.algos
  const { market } = from
  const notional = notionalOf(ref, market, quantity)
  const { user, liquidator: half } = feesOf(ref, market)
  const rate = Math.min(user, Math.floor(Math.max(0, record.collateral / record.notional) * 1e8))
  const fee = share(notional, BigInt(rate))
  const liquidator = roomiest(state, record.owner, notional)
  const kept = liquidator === null ? 0n : smaller(fee, share(notional, BigInt(half)))
  const fees = { kept, fund: fee - kept }
  move(state, from, crossOf(liquidator ?? state.fund, market), quantity, fees)
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

function handToFund(state: State, record: Record, from: Slot, quantity: bigint): void {
  const { ref } = state.algos
  const { market } = from
  const notional = Number(notionalOf(ref, market, quantity))
  const lacking = Math.max(0, (-record.collateral * notional) / record.notional)
  const fund = marginOf(ref, state.fund)
  const carries = Number(fund.collateral) - lacking >= 0.25 * (Number(fund.notional) + notional)
  const left = carries ? quantity : deleverage(state, record, from, quantity)
  if (left !== 0n) move(state, from, crossOf(state.fund, market), left, { kept: 0n, fund: 0n })
}

function sweep(ref: Reference, slot: Slot): void {
  const { owner } = slot
  const position = positionOf(ref, slot)
  ref.holdings[owner] = (ref.holdings[owner] ?? 0n) - position.cost + position.margin
  position.cost = 0n
  position.margin = 0n
}

function pay(ref: Reference, from: number, to: number, amount: bigint): void {
  ref.holdings[from] = (ref.holdings[from] ?? 0n) - amount
  ref.holdings[to] = (ref.holdings[to] ?? 0n) + amount
}
