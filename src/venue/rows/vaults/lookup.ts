import { isAddress } from '../../../core/hex.ts'
import { DAY_MS } from '../../../spec/durations.ts'
import type { Vault } from '../../engine/vaults/vault.ts'
import type { Floor } from '../../exchange/floor.ts'
import { queryText, requiredQuery } from '../../wire/page.ts'
import { refusal } from '../../wire/refusals.ts'

/** The vault that a query names. Throws -1005 when it names none, -1006 when there is no such vault. */
export function vaultOf({ engine }: Floor, query: URLSearchParams): Vault {
  const id = requiredQuery(query, 'vault_id').toLowerCase()
  const vault = engine.world.vaults.find((each) => each.id === id)
  if (!vault) throw refusal('notFound')
  return vault
}

/** The wallet that a query names, in lower case. Throws -1005. */
export function walletOf(query: URLSearchParams): string {
  const wallet = requiredQuery(query, 'wallet_address').toLowerCase()
  if (!isAddress(wallet)) throw refusal('parameter', 'wallet_address is invalid')
  return wallet
}

/** How far back a chart or a figure reaches; null is as far as the vault itself. */
export const WINDOWS = {
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  all_time: null,
} as const

export type Window = keyof typeof WINDOWS

export function windowOf(query: URLSearchParams): Window {
  return choiceOf(query, 'time_range', Object.keys(WINDOWS) as Window[])
}

/** One of a closed list of values that a query must have. Throws -1005. */
export function choiceOf<T extends string>(
  query: URLSearchParams,
  name: string,
  choices: readonly T[],
): T {
  const text = requiredQuery(query, name)
  const choice = choices.find((each) => each === text)
  if (choice === undefined) throw refusal('parameter', `${name} is invalid`)
  return choice
}

/** Whether the oldest rows come first. Throws -1005. */
export function isAscending(query: URLSearchParams): boolean {
  if (queryText(query, 'sort_by') === null) return false
  return choiceOf(query, 'sort_by', ['ascending', 'descending'] as const) === 'ascending'
}
