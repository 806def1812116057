import type { Algos } from './algos.ts'
import {
  absolute,
  closable,
  marketOf,
  openOrders,
  positionOf,
  type Reference,
  type Slot,
  slotsOf,
  smaller,
  unitOf,
} from './book.ts'
import { fillPosition } from './fill.ts'
import { marginOf, marketAccountOf } from './margin.ts'

/** The reference with its liquidators. */
export type State = {
  readonly algos: Algos
  readonly fund: number
  readonly liquidators: readonly number[]
  /** How many were liquidated, and how many lots were closed against the other side. */
  readonly counts: { cross: number; isolated: number; adl: number }
}

export type Record = {
  readonly owner: number
  readonly collateral: number
  readonly notional: number
}

export type Fees = { readonly kept: bigint; readonly fund: bigint }

/** Moves a part of a position to another account's. */
export function move(
  state: State,
  from: Slot,
  to: Slot,
  quantity: bigint,
  { kept, fund }: Fees,
  price: bigint = marketOf(state.algos.ref, from.market).mark,
): void {
  const { ref } = state.algos
  const steps = absolute(quantity)
  const [sells, buys] = quantity > 0n ? ([-1, 1] as const) : ([1, -1] as const)
  fillPosition(ref, { ...from, side: sells }, steps, price, kept + fund)
  fillPosition(ref, { ...to, side: buys }, steps, price, -kept)
  positionOf(ref, crossOf(state.fund, from.market)).cost -= fund
  for (const slot of [from, to])
    for (const order of openOrders(ref, slot))
      if (order.reduceOnly && closable(ref, order) === 0n) order.status = 'CANCELLED'
}

/** Closes against those of the other side who earn the most with the most leverage. Answers what is left. */
export function deleverage(state: State, record: Record, from: Slot, quantity: bigint): bigint {
  const { ref } = state.algos
  const { market } = from
  const { mark, spec } = marketOf(ref, market)
  const lost = (record.collateral * Number(notionalOf(ref, market, quantity))) / record.notional
  const end = Number(mark) - lost / (Number(quantity) * spec.unit)
  const price = BigInt(Math.max(1, Math.round(end)))
  const others = [...ref.holdings.keys()]
    .flatMap((owner) => slotsOf(owner, market))
    .filter((other) => {
      const held = positionOf(ref, other).quantity
      return other.owner !== record.owner && held !== 0n && held < 0n === quantity > 0n
    })
    .map((other) => ({ other, score: scoreOf(ref, other) }))
    .sort((a, b) => b.score - a.score || a.other.owner - b.other.owner)
  let left = quantity
  for (const { other } of others) {
    if (left === 0n) break
    const steps = smaller(absolute(left), absolute(positionOf(ref, other).quantity))
    const taken = left < 0n ? -steps : steps
    state.counts.adl += 1
    move(state, from, other, taken, { kept: 0n, fund: 0n }, price)
    left -= taken
  }
  return left
}

function scoreOf(ref: Reference, slot: Slot): number {
  const { result, notional } = marketAccountOf(ref, slot)
  const { isolated, margin } = positionOf(ref, slot)
  const backing = Number(isolated ? margin + result : marginOf(ref, slot.owner).collateral)
  const gain = Number(result) / Number(notional)
  const leverage = Number(notional) / Math.max(1, backing)
  return gain > 0 ? gain * leverage : gain / Math.max(leverage, 1e-8)
}

/** What an account may have with cross margin. */
export function crossOf(owner: number, market: number): Slot {
  return { owner, market, isolated: false }
}

/** What a quantity is worth at the mark. */
export function notionalOf(ref: Reference, market: number, quantity: bigint): bigint {
  return absolute(quantity) * marketOf(ref, market).mark * unitOf(ref, market)
}
