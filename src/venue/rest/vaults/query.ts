import type { VenueState } from '../../exchange/state.ts'
import type { PriceThen } from '../../exchange/trading-context.ts'
import { addressIn, requiredQuery } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { publicReads, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { booksOf } from '../../vaults/ask.ts'
import type { Book } from '../../vaults/book.ts'

/** The sources of the rows of vaults. */
export type VaultParts = Pick<VenueState, 'simulation' | 'accounts'> & {
  readonly priceThen: PriceThen
}

const PATH = '/v1/public/strategy_vault'

/** Answers by the last parts of the path, such as `vault/info`. */
type Answers<Args extends readonly unknown[]> = Readonly<Record<string, (...args: Args) => unknown>>

/** Public reads about all vaults. */
export function vaultReads(
  { simulation }: Pick<VaultParts, 'simulation'>,
  answers: Answers<[books: readonly Book[], call: VenueCall]>,
): readonly VenueRow[] {
  const rows = Object.entries(answers).map(([name, answer]) => {
    const answered = (call: VenueCall) => answer(booksOf(simulation().engine.world), call)
    return [`${PATH}/${name}`, answered] as const
  })
  return publicReads(Object.fromEntries(rows))
}

/** Public reads about the vault in the query. They throw -1005 when it names none, -1006 when there is no such vault. */
export function oneVaultReads(
  parts: Pick<VaultParts, 'simulation'>,
  answers: Answers<[book: Book, call: VenueCall]>,
): readonly VenueRow[] {
  const rows = Object.entries(answers).map(([name, answer]) => {
    const answered = (books: readonly Book[], call: VenueCall) =>
      answer(bookIn(books, call.query), call)
    return [name, answered] as const
  })
  return vaultReads(parts, Object.fromEntries(rows))
}

/** The book of the vault in a query. Throws -1005 when it names none, -1006 when there is no such vault. */
export function bookIn(books: readonly Book[], query: URLSearchParams): Book {
  const id = requiredQuery(query, 'vault_id').toLowerCase()
  const book = books.find(({ vault }) => vault.id === id)
  if (!book) throw refusal('notFound')
  return book
}

/** The wallet in a query, in lower case. Throws -1005. */
export function walletOf(query: URLSearchParams): string {
  return addressIn(query, 'wallet_address')
}
