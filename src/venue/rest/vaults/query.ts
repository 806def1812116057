import { isAddress } from '../../../core/hex.ts'
import type { VenueState } from '../../exchange/state.ts'
import { requiredQuery } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { booksOf } from '../../vaults/ask.ts'
import type { Book } from '../../vaults/book.ts'
import { type Sample, sampleAt } from '../../vaults/stakes.ts'
import type { PriceThen } from '../positions/shapes.ts'

/** What the rows of vaults read. */
export type VaultParts = Pick<VenueState, 'simulation' | 'accounts'> & {
  readonly priceThen: PriceThen
}

export const PATH = '/v1/public/strategy_vault'

/** The book of the vault in a query. Throws -1005 when it names none, -1006 when there is no such vault. */
export function bookIn(
  { simulation }: Pick<VaultParts, 'simulation'>,
  query: URLSearchParams,
): Book {
  const id = requiredQuery(query, 'vault_id').toLowerCase()
  const book = booksOf(simulation().engine.world).find(({ vault }) => vault.id === id)
  if (!book) throw refusal('notFound')
  return book
}

/** The wallet in a query, in lower case. Throws -1005. */
export function walletOf(query: URLSearchParams): string {
  const wallet = requiredQuery(query, 'wallet_address').toLowerCase()
  if (!isAddress(wallet)) throw refusal('parameter', 'wallet_address is invalid')
  return wallet
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

/** A vault step by step until now, from the last step before a time. */
export function samplesOf(book: Book, stepMs: number, fromMs: number): Sample[] {
  const { vault, nowMs } = book
  const firstMs = Math.max(vault.startedAtMs, Math.floor(fromMs / stepMs) * stepMs)
  const samples: Sample[] = []
  for (let atMs = firstMs; atMs < nowMs; atMs += stepMs) samples.push(sampleAt(book, atMs))
  return [...samples, sampleAt(book, nowMs)]
}
