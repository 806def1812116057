import { accountAt } from '../accounts.ts'
import type { World } from '../world.ts'

type Marking = {
  readonly account: number
  /** Null: all of them. */
  readonly ids: readonly number[] | null
  readonly isRead: boolean
}

/** What can be asked about notifications. */
export const INBOX_REQUESTS = {
  /** Says something to all who have an account now. */
  announce: (
    { exchange }: World,
    { id, text }: { readonly id: number; readonly text: string },
    atMs: number,
  ): null => {
    for (const { announced } of exchange.observers)
      announced?.(exchange.accounts, { id, text, atMs })
    return null
  },

  mark: ({ exchange }: World, { account, ids, isRead }: Marking): null => {
    const owner = accountAt(exchange, account)
    for (const { marked } of exchange.observers) marked?.(owner, ids, isRead)
    return null
  },
} as const
