import { epochOf, epochOfDay } from '../../programs/epochs.ts'
import type { Keeper } from '../keeper.ts'
import { worthOf } from '../markets.ts'
import type { Account } from '../state.ts'

/** What an account traded in one epoch, and what that cost it. Micro-USDC. */
export type EpochRow = { readonly epoch: number; volume: number; fees: number }

/** What everybody traded, by the epoch: of agents and users alike, and none of it is ever forgotten. */
export type EpochKeeper = Keeper & {
  /** Oldest first; epochs without a trade are left out. */
  readonly of: (account: Account) => readonly EpochRow[]
}

export function createEpochs(): EpochKeeper {
  const byAccount = new Map<number, EpochRow[]>()

  function of({ number }: Account): EpochRow[] {
    const known = byAccount.get(number)
    if (known) return known
    const fresh: EpochRow[] = []
    byAccount.set(number, fresh)
    return fresh
  }

  function count(account: Account, epoch: number, volume: number, fees: number): void {
    const rows = of(account)
    const newest = rows.at(-1)
    if (newest?.epoch !== epoch) rows.push({ epoch, volume, fees })
    else {
      newest.volume += volume
      newest.fees += fees
    }
  }

  return {
    name: 'epochs',
    of,
    observer: {
      matched: ({ market, price, quantity, taker, maker, takerFee, makerFee, atMs }) => {
        const epoch = epochOf(atMs)
        const volume = worthOf(market.spec, price, quantity)
        count(taker.exposure.account, epoch, volume, takerFee)
        count(maker.exposure.account, epoch, volume, makerFee)
      },
    },
    save: () => [...byAccount],
    load: ({ exchange }, saved) => {
      // Only `save` above has written it; an older snapshot has none, and its days tell the same.
      for (const [account, rows] of (saved ?? []) as [number, EpochRow[]][])
        byAccount.set(account, rows)
      if (saved !== undefined) return
      for (const account of exchange.accounts)
        for (const { day, volume, fees } of account.days)
          count(account, epochOfDay(day), volume, fees)
    },
  }
}
