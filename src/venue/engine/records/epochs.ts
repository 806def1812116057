import { epochOf } from '../../programs/epochs.ts'
import { createJournal, createRowTable, type Journal } from '../journal.ts'
import { worthOf } from '../markets.ts'
import type { Account } from '../state.ts'

/** What an account traded in one epoch, and what that cost it. Micro-USDC. */
export type EpochRow = { readonly epoch: number; volume: number; fees: number }

/** The trading of all accounts by epoch, of agents and users alike; never dropped. */
export type EpochJournal = Journal & {
  /** Oldest first; epochs without a trade are left out. */
  readonly of: (account: Account) => readonly EpochRow[]
}

export function createEpochs(): EpochJournal {
  const { rows: epochs, of } = createRowTable<EpochRow[]>(() => [])

  function count(account: Account, epoch: number, volume: number, fees: number): void {
    const rows = of(account)
    const newest = rows.at(-1)
    if (newest?.epoch !== epoch) rows.push({ epoch, volume, fees })
    else {
      newest.volume += volume
      newest.fees += fees
    }
  }

  const journal = createJournal('epochs', epochs, {
    observer: {
      matched: ({ market, price, quantity, taker, maker, takerFee, makerFee, atMs }) => {
        const epoch = epochOf(atMs)
        const volume = worthOf(market.spec, price, quantity)
        count(taker.exposure.account, epoch, volume, takerFee)
        count(maker.exposure.account, epoch, volume, makerFee)
      },
    },
  })
  return { ...journal, of }
}
