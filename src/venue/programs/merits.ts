import type { EpochRow } from '../engine/records/epochs.ts'
import type { Account } from '../engine/state.ts'
import { MICRO } from '../engine/units.ts'
import type { World } from '../engine/world.ts'
import { ownerOf, tradersOf } from '../exchange/seat.ts'
import type { Exchange } from '../exchange/state.ts'
import { type Past, pastOf } from './past.ts'

/** Points for each USDC traded, and for each paid in fees. */
const POINTS = { traded: 1, paid: 10 } as const

/** The points of every wallet in every epoch: a wallet's accounts together, users and agents alike. */
export type Merits = {
  readonly past: () => Past
  /** What an account traded, before the world and in it, oldest first. */
  readonly epochsOf: (account: Account) => readonly EpochRow[]
  /** Points by wallet, by epoch. Every trader has a place in each, with no points where it did not trade. */
  readonly wallets: () => ReadonlyMap<string, ReadonlyMap<number, number>>
}

/** The points of an epoch: whole ones, so that epochs sum to totals. */
export function pointsOf({ volume, fees }: Pick<EpochRow, 'volume' | 'fees'>): number {
  return Math.floor((volume * POINTS.traded + Math.max(0, fees) * POINTS.paid) / MICRO)
}

export function createMerits(exchange: Exchange): Merits {
  const pasts = new WeakMap<World, Past>()

  function past(): Past {
    const { world } = exchange.floor().engine
    const known = pasts.get(world) ?? pastOf(world)
    pasts.set(world, known)
    return known
  }

  function epochsOf(account: Account): readonly EpochRow[] {
    const before = past().epochs.get(account.number) ?? []
    const since = exchange.floor().epochs.of(account)
    return merged(before, since)
  }

  function wallets(): Map<string, Map<number, number>> {
    const found = new Map<string, Map<number, number>>()
    for (const account of tradersOf(exchange)) {
      const { address } = ownerOf(exchange, account)
      const points = found.get(address) ?? new Map<number, number>()
      found.set(address, points)
      for (const row of epochsOf(account))
        points.set(row.epoch, (points.get(row.epoch) ?? 0) + pointsOf(row))
    }
    return found
  }

  return { past, epochsOf, wallets }
}

/** The epoch in which the world began was partly before it. */
function merged(before: readonly EpochRow[], since: readonly EpochRow[]): readonly EpochRow[] {
  const last = before.at(-1)
  const [first, ...later] = since
  if (!last || !first || last.epoch !== first.epoch) return [...before, ...since]
  const { epoch } = first
  const both = { epoch, volume: last.volume + first.volume, fees: last.fees + first.fees }
  return [...before.slice(0, -1), both, ...later]
}

/** A wallet's points over some epochs, both ends included. */
export function sumOver(points: ReadonlyMap<number, number>, from: number, to: number): number {
  let sum = 0
  for (const [epoch, own] of points) if (epoch >= from && epoch <= to) sum += own
  return sum
}

/** Who has more points, first; of those with as many, the lower address. Equal points share the better rank. */
export function ranked(
  points: Iterable<readonly [address: string, points: number]>,
): readonly { readonly rank: number; readonly address: string; readonly points: number }[] {
  const sorted = [...points].sort(([a, own], [b, other]) => other - own || (a < b ? -1 : 1))
  let rank = 0
  return sorted.map(([address, own], at) => {
    if (at === 0 || own !== sorted[at - 1]?.[1]) rank = at + 1
    return { rank, address, points: own }
  })
}
