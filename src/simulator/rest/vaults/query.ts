import { addressIn, requiredQuery } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import type { VenueCall } from '../../messages/row.ts'
import type { Owner, VaultBook } from '../../vaults/book.ts'

/** An answer about all vaults. */
export type VaultAnswer = (books: readonly VaultBook[], call: VenueCall) => unknown

/**
 * Returns an endpoint that calls `answer` with the book of the queried vault. Throws -1005 without an id, -1006 for an
 * unknown vault.
 */
export function ofVault(answer: (book: VaultBook, call: VenueCall) => unknown): VaultAnswer {
  return (books, call) => answer(bookIn(books, call.query), call)
}

/**
 * An answer about the stake of a wallet in a vault; the query names both. Throws -1005 without a vault id or a wallet,
 * -1006 for an unknown vault.
 */
export function ofOwner(
  role: Owner['role'],
  answer: (book: VaultBook, owner: Owner, call: VenueCall) => unknown,
): VaultAnswer {
  return ofVault((book, call) => answer(book, { role, wallet: walletIn(call) }, call))
}

/** The book of the vault that a query names. Throws -1005 without an id, -1006 for an unknown vault. */
export function bookIn(books: readonly VaultBook[], query: URLSearchParams): VaultBook {
  const id = requiredQuery(query, 'vault_id').toLowerCase()
  const book = books.find(({ vault }) => vault.id === id)
  if (!book) throw refusal('notFound')
  return book
}

/** The wallet that a query names, in lower case. Throws -1005 if it is missing or malformed. */
export function walletIn({ query }: VenueCall): string {
  return addressIn(query, 'wallet_address')
}
