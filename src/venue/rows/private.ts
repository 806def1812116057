import { accountOf } from '../accounts/accounts.ts'
import type { Account, Exchange } from '../exchange/state.ts'
import type { VenueCall, VenueRow } from '../wire/row.ts'

export type AccountAnswer = (account: Account, call: VenueCall) => unknown

/** A row that answers for the account whose key signed the call. */
export function privateRow(
  exchange: Exchange,
  method: VenueRow['method'],
  path: string,
  scope: Exclude<VenueRow['scope'], 'none'>,
  answer: AccountAnswer,
): VenueRow {
  return {
    method,
    path,
    scope,
    answer: (call) => answer(accountOf(exchange, call.accountId), call),
  }
}
