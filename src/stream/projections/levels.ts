import { formatDecimal, parseDecimal } from '../../core/decimals.ts'
import { STREAM_LIMITS } from '../../spec/stream/limits.ts'
import type { LevelChanges } from '../../wire/live.ts'

const SCALE = 18

/** Quantities by price, both scaled. */
export type Side = Map<bigint, bigint>
export type Level = readonly [price: bigint, quantity: bigint]
export type Levels = readonly Level[]
/** Best first. */
export type Sides = { readonly asks: Levels; readonly bids: Levels }

/** How many decimal places prices and quantities of a market are written with. */
export type Places = { readonly price: number; readonly quantity: number }

/** Changes levels by those of a message; a quantity of zero removes one. */
export function putLevels(side: Side, changes: LevelChanges): void {
  for (const [price, quantity] of scaledLevels(changes)) {
    if (quantity === 0n) side.delete(price)
    else side.set(price, quantity)
  }
}

/** The levels that are shown. */
export function bestLevels(asks: Side, bids: Side): Sides {
  return {
    asks: bestOf(asks, (a, b) => a < b),
    bids: bestOf(bids, (a, b) => a > b),
  }
}

/** Whether somebody would sell below what somebody would pay: no book of any venue. */
export function isCrossed({ asks: [ask], bids: [bid] }: Sides): boolean {
  return ask !== undefined && bid !== undefined && bid[0] >= ask[0]
}

/** What turns the levels before into those after: changed and new ones, and zeros for those that left. */
export function differences(before: Levels, after: Levels): Levels {
  const old = new Map(before)
  const kept = new Set(after.map(([price]) => price))
  const changed = after.filter(([price, quantity]) => old.get(price) !== quantity)
  const gone = before.filter(([price]) => !kept.has(price)).map(([price]) => [price, 0n] as const)
  return [...changed, ...gone]
}

/** A book as the route answers it; an empty side leaves its middle and spread empty. */
export function wholeBook(symbol: string, { asks, bids }: Sides, ts: number, places: Places) {
  const ask = asks[0]?.[0]
  const bid = bids[0]?.[0]
  const isTwoSided = ask !== undefined && bid !== undefined
  return {
    symbol,
    mid_price: isTwoSided ? formatDecimal((ask + bid) / 2n, SCALE) : '',
    spread: isTwoSided ? padded(ask - bid, places.price) : '',
    asks: asks.map((level) => levelRow(level, places)),
    bids: bids.map((level) => levelRow(level, places)),
    ts,
  }
}

/** A level of a change: price and quantity as text. */
export function pairOf(
  [price, quantity]: Level,
  places: Places,
): readonly [price: string, quantity: string] {
  return [padded(price, places.price), quantity === 0n ? '0' : padded(quantity, places.quantity)]
}

/** The decimal places of a tick. */
export function placesOf(tick: string): number {
  return formatDecimal(parseDecimal(tick, SCALE) ?? 1n, SCALE).split('.')[1]?.length ?? 0
}

function levelRow(level: Level, places: Places) {
  const [price, quantity] = pairOf(level, places)
  return { price, quantity }
}

/** With as many decimal places as the tick has, or as many more as it takes. */
function padded(value: bigint, places: number): string {
  const [whole = '', fraction = ''] = formatDecimal(value, SCALE).split('.')
  return places === 0 && fraction === '' ? whole : `${whole}.${fraction.padEnd(places, '0')}`
}

function bestOf(side: Side, isBetter: (a: bigint, b: bigint) => boolean): Levels {
  const sorted = [...side].sort(([a], [b]) => (isBetter(a, b) ? -1 : 1))
  return sorted.slice(0, STREAM_LIMITS.bookLevels)
}

function scaledLevels(changes: LevelChanges): Levels {
  return changes.flatMap(([price, quantity]) => {
    const level = [parseDecimal(String(price), SCALE), parseDecimal(String(quantity), SCALE)]
    const [scaledPrice = null, scaledQuantity = null] = level
    return scaledPrice === null || scaledQuantity === null ? [] : [[scaledPrice, scaledQuantity]]
  })
}
