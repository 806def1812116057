import { isAlive, partsOf } from '../algo/tree.ts'
import type { Keeper } from '../keeper.ts'
import type { Account } from '../state.ts'
import { type AlgoRow, algoRow } from './algo-rows.ts'
import { isKept } from './rows.ts'

/** The algo orders of users' accounts that are over. */
export type AlgoKeeper = Keeper & {
  /** Oldest first. Old rows go. */
  readonly of: (account: Account) => readonly AlgoRow[]
}

const KEPT_MAX = 500

export function createAlgoRecords(): AlgoKeeper {
  const rows = new Map<number, AlgoRow[]>()

  function keep({ number }: Account, row: AlgoRow): void {
    const kept = rows.get(number) ?? []
    rows.set(number, kept)
    kept.push(row)
    if (kept.length > KEPT_MAX) kept.shift()
  }

  return {
    name: 'algos',
    of: ({ number }) => rows.get(number) ?? [],
    observer: {
      algo: (root) => {
        const { account } = root.exposure
        if (isKept(account) && !partsOf(root).some(isAlive)) keep(account, algoRow(root))
      },
    },
    save: () => [...rows],
    load: (_world, saved) => {
      // Only `save` above has written it; an older snapshot has none.
      for (const [account, kept] of (saved ?? []) as [number, AlgoRow[]][]) rows.set(account, kept)
    },
  }
}
