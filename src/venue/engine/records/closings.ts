import { DAY_MS } from '../../../spec/durations.ts'
import type { Keeper } from '../keeper.ts'
import { marginOf } from '../margin/margin.ts'
import type { Account } from '../state.ts'
import { isKept } from './rows.ts'

/** What an account was worth as a UTC day ended: micro-USDC. */
export type Closing = { readonly day: number; readonly atMs: number; readonly value: number }

/** What users' accounts were worth at the ends of days. */
export type ClosingKeeper = Keeper & {
  /** Oldest first. */
  readonly of: (account: Account) => readonly Closing[]
}

const DAYS_KEPT_MAX = 400

/** Funding settles at midnight in every market: the first settlement of a day closes the one before. */
export function createClosings(): ClosingKeeper {
  const closings = new Map<number, Closing[]>()
  let closed = -1
  let accounts: readonly Account[] = []

  function close(day: number, atMs: number): void {
    for (const account of accounts) {
      if (!isKept(account)) continue
      const rows = closings.get(account.number) ?? []
      closings.set(account.number, rows)
      rows.push({ day, atMs, value: worthOfAccount(account) })
      if (rows.length > DAYS_KEPT_MAX) rows.shift()
    }
  }

  return {
    name: 'closings',
    begin: ({ exchange }) => {
      accounts = exchange.accounts
    },
    of: ({ number }) => closings.get(number) ?? [],
    observer: {
      funded: ({ atMs }) => {
        const day = Math.floor(atMs / DAY_MS) - 1
        if (day <= closed) return
        closed = day
        close(day, atMs)
      },
    },
    save: () => ({ closed, closings: [...closings] }),
    load: (_world, saved) => {
      // Only `save` above has written it; an older snapshot has none.
      const kept = saved as Saved | undefined
      closed = kept?.closed ?? -1
      for (const [account, rows] of kept?.closings ?? []) closings.set(account, rows)
    },
  }
}

type Saved = {
  readonly closed: number
  readonly closings: readonly (readonly [number, Closing[]])[]
}

/** Collateral, and what backs isolated positions with their results. */
function worthOfAccount(account: Account): number {
  const { collateral } = marginOf(account)
  return account.used.reduce(
    (sum, { isolated, margin, pnl }) => (isolated ? sum + margin + pnl : sum),
    collateral,
  )
}
