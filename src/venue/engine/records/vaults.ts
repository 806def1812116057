import { DAY_MS, HOUR_MS } from '../../../spec/durations.ts'
import { createJournal, createRowTable, type Journal } from '../journal.ts'
import type { Account } from '../state.ts'
import { type Books, HOURS_KEPT_MS } from '../vaults/past.ts'
import type { Vault } from '../vaults/vault.ts'

/** Positions that a vault took over in one liquidation, or from the insurance fund. */
export type TakeoverRow = {
  readonly id: number
  readonly atMs: number
  readonly kind: 'liquidated' | 'claimed'
  readonly parts: readonly {
    readonly market: number
    readonly quantity: number
    /** Ticks. */
    readonly price: number
    /** What the vault got for it, micro-USDC. */
    readonly fee: number
  }[]
}

/** What is remembered of a vault since it joined the world. Oldest first. */
export type VaultBooks = Books & { readonly takeovers: TakeoverRow[] }

export type VaultJournal = Journal & { readonly of: (vault: Vault) => VaultBooks }

/** How many rows of each are kept. */
const KEPT_MAX = {
  hours: HOURS_KEPT_MS / HOUR_MS,
  days: 1500,
  transactions: 5000,
  fees: 1500,
  periods: 1500,
  takeovers: 1000,
} as const

export function createVaultBooks(): VaultJournal {
  const { rows: books, of } = createRowTable<VaultBooks>(() => ({
    ...{ hours: [], days: [], transactions: [], fees: [], periods: [], takeovers: [] },
  }))

  function add<Kind extends keyof VaultBooks>(
    account: Account,
    kind: Kind,
    ...rows: VaultBooks[Kind]
  ): void {
    const kept: unknown[] = of(account)[kind]
    kept.push(...rows)
    const surplus = kept.length - KEPT_MAX[kind]
    if (surplus > 0) kept.splice(0, surplus)
  }

  const journal = createJournal('vaults', books, {
    observer: {
      valued: ({ account }, sample) => {
        add(account, 'hours', sample)
        if (sample.atMs % DAY_MS === 0) add(account, 'days', sample)
      },
      periodEnded: ({ account }, { fee, period, finished }) => {
        add(account, 'fees', fee)
        add(account, 'periods', period)
        add(account, 'transactions', ...finished)
      },
      transacted: ({ account }, transaction) => add(account, 'transactions', transaction),
      liquidated: ({ id, atMs, takeovers }) => {
        const taken = takeovers.filter(({ to, by }) => to.kind === 'vault' && by === 'liquidator')
        for (const [to, parts] of Map.groupBy(taken, (each) => each.to))
          add(to, 'takeovers', {
            ...{ id, atMs, kind: 'liquidated' },
            parts: parts.map(({ market, quantity, price, liquidatorFee: fee }) => ({
              ...{ market: market.number, quantity, price, fee },
            })),
          })
      },
      claimed: ({ id, atMs, to, market, quantity, price, discount: fee }) => {
        if (to.kind !== 'vault') return
        const part = { market: market.number, quantity, price, fee }
        add(to, 'takeovers', { id, atMs, kind: 'claimed', parts: [part] })
      },
    },
  })
  return { ...journal, of: ({ account }) => of(account) }
}
