import type { Keeper } from '../keeper.ts'
import type { Liquidation } from '../liquidation/record.ts'
import type { Account, Side } from '../state.ts'
import { keep } from './kept.ts'
import { isKept } from './rows.ts'

/** What a user is told about: markets by number, units as in units.ts. */
export type Notice =
  | {
      readonly kind: 'filled'
      readonly market: number
      readonly side: Side
      readonly order: number
      readonly price: number
      readonly quantity: number
      /** Of the whole order, so far. */
      readonly executed: number
      readonly ordered: number
    }
  | {
      readonly kind: 'triggered'
      readonly market: number
      readonly side: Side
      readonly order: number
      readonly type: string
      readonly price: number
    }
  | {
      readonly kind: 'liquidated'
      readonly liquidation: number
      readonly markets: readonly number[]
      /** Not its own: its position was reduced to end another's. */
      readonly isDeleveraged: boolean
    }
  | { readonly kind: 'settled'; readonly settlement: number; readonly amount: number }
  | { readonly kind: 'announced'; readonly announcement: number; readonly text: string }

export type InboxRow = { readonly id: number; readonly atMs: number; isRead: boolean } & {
  readonly notice: Notice
}

/** Users' notifications, oldest first. */
export type InboxKeeper = Keeper & { readonly of: (account: Account) => InboxRow[] }

/** Keeps notifications, beginning with none. */
export function createInboxes(): InboxKeeper {
  const inboxes = new Map<number, InboxRow[]>()
  let sequence = 0

  function of({ number }: Pick<Account, 'number'>): InboxRow[] {
    const known = inboxes.get(number)
    if (known) return known
    const fresh: InboxRow[] = []
    inboxes.set(number, fresh)
    return fresh
  }

  function tell(account: Account, atMs: number, notice: Notice): void {
    if (!isKept(account)) return
    sequence += 1
    keep(of(account), { id: sequence, atMs, isRead: false, notice })
  }

  return {
    name: 'inboxes',
    of,
    observer: {
      matched: ({ taker, maker, market, price, quantity, atMs }) => {
        for (const { exposure, side, id, executed, quantity: ordered } of [taker, maker])
          tell(exposure.account, atMs, {
            ...{ kind: 'filled', market: market.number, side, order: id },
            ...{ price, quantity, executed, ordered },
          })
      },
      triggered: ({ account, market, id, type, side, price, atMs }) =>
        tell(account, atMs, {
          ...{ kind: 'triggered', market: market.number, side, order: id },
          ...{ type, price },
        }),
      liquidated: (liquidation) => {
        for (const { account, notice } of toldOf(liquidation))
          tell(account, liquidation.atMs, notice)
      },
      settled: ({ id, account, parts, atMs }) => {
        const amount = parts.reduce((sum, part) => sum + part.amount, 0)
        tell(account, atMs, { kind: 'settled', settlement: id, amount })
      },
      announced: (accounts, { id, text, atMs }) => {
        for (const account of accounts)
          tell(account, atMs, { kind: 'announced', announcement: id, text })
      },
      marked: (account, ids, isRead) => {
        for (const row of of(account)) if (!ids || ids.includes(row.id)) row.isRead = isRead
      },
    },
    save: () => ({ inboxes: [...inboxes], sequence }),
    load: (_world, saved) => {
      // Only `save` above has written it; an older snapshot has none.
      const kept = (saved ?? { inboxes: [], sequence: 0 }) as {
        readonly inboxes: readonly (readonly [number, InboxRow[]])[]
        readonly sequence: number
      }
      for (const [number, rows] of kept.inboxes) inboxes.set(number, rows)
      sequence = kept.sequence
    },
  }
}

/** Who is told of a liquidation: its owner, and those whose positions were reduced for it. */
function toldOf({ id, account, takeovers }: Liquidation) {
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
