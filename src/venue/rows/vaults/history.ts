import { type Books, type Past, pastSteps } from '../../engine/vaults/past.ts'
import { isOwn, mainPrice, pnlOf, sampleOf } from '../../engine/vaults/value.ts'
import type { Role, Sample, Vault } from '../../engine/vaults/vault.ts'
import type { Floor } from '../../exchange/floor.ts'
import type { Make } from '../../patience.ts'
import type { Steps } from '../../steps.ts'

/** A vault with all that is known of it, before it joined and since; oldest first. */
export type History = Books & { readonly vault: Vault; readonly now: Sample }

export type Histories = (vault: Vault, nowMs: number) => History

/** One moment of a vault, or of a stake in it. */
export type Point = {
  readonly atMs: number
  /** What it is worth, and what it has won, micro-USDC. */
  readonly value: number
  readonly pnl: number
  /** Of a main share, eight decimals. */
  readonly price: number
  readonly volume: number
  readonly fees: number
}

/** The histories of a floor's vaults: the seeded past, which is always the same, is made when it is first asked for. */
export function createHistories(floor: () => Floor, make: Make): Histories {
  const pasts = new Map<string, Books>()
  const begun = new Map<string, Steps<Past>>()

  function pastBooks(vault: Vault, seed: number): Books {
    for (;;) {
      const known = pasts.get(vault.id)
      if (known) return known
      make(
        () => stepsOf(vault, seed).next(),
        ({ done, value }) => {
          if (!done) return
          pasts.set(vault.id, value.books)
          begun.delete(vault.id)
        },
      )
    }
  }

  function stepsOf({ id, terms, joinedAtMs }: Vault, seed: number): Steps<Past> {
    const steps = begun.get(id) ?? pastSteps(seed, terms, joinedAtMs)
    begun.set(id, steps)
    return steps
  }

  return (vault, nowMs) => {
    const { engine, vaults } = floor()
    const before = pastBooks(vault, engine.world.seed)
    const since = vaults.of(vault)
    return {
      vault,
      now: sampleOf(vault, nowMs),
      hours: [...before.hours, ...since.hours],
      days: [...before.days, ...since.days],
      transactions: [...before.transactions, ...since.transactions],
      fees: [...before.fees, ...since.fees],
      periods: [...before.periods, ...since.periods],
    }
  }
}

/** The vault itself, moment by moment; by the hour as far back as hours are told, else by the day. */
export function pointsOf(history: History, isHourly: boolean): Point[] {
  return samplesOf(history, isHourly).map((sample) => ({
    atMs: sample.atMs,
    value: sample.nav + sample.idle,
    pnl: pnlOf(sample),
    price: mainPrice(sample),
    volume: sample.volume,
    fees: sample.fees,
  }))
}

/** Every request of a wallet that is known, the newest first. */
export function requestsOf({ transactions, vault }: History, role: Role, wallet: string) {
  return [...transactions, ...vault.ledger.open]
    .filter((each) => isOwn(each, { wallet, role }))
    .sort((a, b) => b.requestedAtMs - a.requestedAtMs || b.id - a.id)
}

/** A vault's samples up to now, by the hour or by the day. */
export function samplesOf({ hours, days, now }: History, isHourly: boolean): Sample[] {
  const samples = isHourly ? hours : days
  return [...samples.filter(({ atMs }) => atMs < now.atMs), now]
}
