import { append } from '../base/bounded-list.ts'
import type { Liquidation } from '../state/observer.ts'
import type { Account, SideSign } from '../state/state.ts'
import { createEngineJournal, createRowTable, type TableJournal } from './journal.ts'
import { hasHistory } from './records.ts'

/** The subject of a notification. A market is given by its number. `units.ts` defines the units. */
export type InboxNotice =
  | {
      readonly kind: 'filled'
      readonly market: number
      readonly side: SideSign
      readonly order: number
      readonly price: number
      readonly quantity: number
      /** The quantity of the whole order that has executed so far. */
      readonly executed: number
      readonly ordered: number
    }
  | {
      readonly kind: 'triggered'
      readonly market: number
      readonly side: SideSign
      readonly order: number
      readonly type: string
      readonly price: number
    }
  | {
      readonly kind: 'liquidated'
      readonly liquidation: number
      readonly markets: readonly number[]
      /** Whether the account was deleveraged because of another account's liquidation. */
      readonly isDeleveraged: boolean
    }
  | { readonly kind: 'settled'; readonly settlement: number; readonly amount: number }
  | { readonly kind: 'announced'; readonly announcement: number; readonly text: string }

export type InboxRow = { readonly id: number; readonly atMs: number; isRead: boolean } & {
  readonly notice: InboxNotice
}

/** Users' notifications, oldest first. */
export function createInboxes(): TableJournal<InboxRow[]> {
  const { rows: inboxes, of } = createRowTable<InboxRow[]>(() => [])
  const state = { inboxes, sequence: 0 }

  function notify(account: Account, atMs: number, notice: InboxNotice): void {
    if (!hasHistory(account)) return
    state.sequence += 1
    append(of(account), { id: state.sequence, atMs, isRead: false, notice })
  }

  const journal = createEngineJournal('inboxes', state, {
    observer: {
      matched: ({ taker, maker, market, price, quantity, atMs }) => {
        for (const { marketAccount, side, id, executed, quantity: ordered } of [taker, maker])
          notify(marketAccount.account, atMs, {
            ...{ kind: 'filled', market: market.number, side, order: id },
            ...{ price, quantity, executed, ordered },
          })
      },
      triggered: ({ account, market, id, type, side, price, atMs }) =>
        notify(account, atMs, {
          ...{ kind: 'triggered', market: market.number, side, order: id },
          ...{ type, price },
        }),
      liquidated: (liquidation) => {
        for (const { account, notice } of liquidationNotices(liquidation))
          notify(account, liquidation.atMs, notice)
      },
      settled: ({ id, account, parts, atMs }) => {
        const amount = parts.reduce((sum, part) => sum + part.amount, 0)
        notify(account, atMs, { kind: 'settled', settlement: id, amount })
      },
      announced: (accounts, { id, text, atMs }) => {
        for (const account of accounts)
          notify(account, atMs, { kind: 'announced', announcement: id, text })
      },
      marked: (account, ids, isRead) => {
        for (const row of of(account)) if (!ids || ids.includes(row.id)) row.isRead = isRead
      },
    },
  })
  return { ...journal, of }
}

/** The notifications about a liquidation: for the account's owner and for the accounts that were deleveraged. */
function liquidationNotices({ id, account, takeovers }: Liquidation) {
  const notice = (markets: readonly number[], isDeleveraged: boolean) =>
    ({ kind: 'liquidated', liquidation: id, markets, isDeleveraged }) as const
  const own = [...new Set(takeovers.map(({ market }) => market.number))]
  return [
    { account, notice: notice(own, false) },
    ...takeovers
      .filter(({ by }) => by === 'adl')
      .map(({ to, market }) => ({ account: to, notice: notice([market.number], true) })),
  ]
}
