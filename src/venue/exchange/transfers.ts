import type { Journal } from './journal.ts'
import { EXCHANGE_LIMITS } from './limits.ts'
import type { Transfer } from './state.ts'

/** Appends to an account's transfers, dropping what is older than it keeps. */
export function remember(journal: Journal, transfers: Transfer[], transfer: Transfer): void {
  transfers.push(transfer)
  journal.put('transfer', transfer.id, transfer)
  while (transfers.length > EXCHANGE_LIMITS.transfersMax) {
    const oldest = transfers.shift()
    if (oldest) journal.remove('transfer', oldest.id)
  }
}
