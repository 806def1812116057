import { accountOf } from '../accounts/accounts.ts'
import { type Seat, seatOf } from '../exchange/seat.ts'
import type { Account, Exchange } from '../exchange/state.ts'
import type { VenueCall, VenueRow } from '../wire/row.ts'

export type AccountAnswer = (account: Account, call: VenueCall) => unknown

export type SeatAnswer = (seat: Seat, call: VenueCall) => unknown

type Named = Pick<VenueRow, 'method' | 'path'> & {
  readonly scope: Exclude<VenueRow['scope'], 'none'>
}

/** A row that answers for the account whose key signed the call. */
export function privateRow(exchange: Exchange, row: Named, answer: AccountAnswer): VenueRow {
  return { ...row, answer: (call) => answer(accountOf(exchange, call.accountId), call) }
}

/** The same for a row about what the account holds and trades. */
export function seatRow(exchange: Exchange, row: Named, answer: SeatAnswer): VenueRow {
  return { ...row, answer: (call) => answer(seatOf(exchange, call.accountId), call) }
}
