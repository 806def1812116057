import { plan } from '../events/queue.ts'
import { openOf } from '../orders/chain.ts'
import { cancel } from '../orders/open.ts'
import type { Account } from '../state.ts'
import type { World } from '../world.ts'
import { cancelAlgo } from './end.ts'

/** Lets all open orders of an account end at a time, unless it says another or none before. */
export function setDeadMan({ queue }: World, account: Account, atMs: number | null): void {
  account.cancelAtMs = atMs
  if (atMs !== null) plan(queue, atMs, 'cancelAll', account.number)
}

/** The time has come, if it still is that one. */
export function cancelAllDue({ exchange }: World, account: Account, atMs: number): void {
  if (account.cancelAtMs !== atMs) return
  account.cancelAtMs = null
  for (const algo of [...account.algos.values()]) cancelAlgo(exchange, algo, atMs)
  for (const order of openOf(account)) cancel(exchange, order, atMs)
}
