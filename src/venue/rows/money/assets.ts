import { keccakOfText } from '../../../crypto/keccak.ts'
import type { AssetRow } from '../../engine/records/ledger.ts'
import type { Seat } from '../../exchange/seat.ts'
import { tokenNumber } from '../../exchange/tokens.ts'
import { pageOf, periodOf, queryText } from '../../wire/page.ts'
import type { VenueCall } from '../../wire/row.ts'

/** GET /v1/asset/history: deposits and withdrawals that a query selects, the latest first. */
export function assetHistory(seat: Seat, { query }: VenueCall) {
  const { seed } = seat.engine.world
  const isWithin = periodOf(query)
  const isWanted = (name: string, value: string) => (queryText(query, name) ?? value) === value
  const rows = seat.ledger.assets.map((row) => assetShape(row, seed))
  const chosen = rows.filter(
    ({ token, side, trans_status, created_time }) =>
      isWithin(created_time) &&
      isWanted('token', token) &&
      isWanted('side', side) &&
      isWanted('status', trans_status),
  )
  return pageOf(chosen.reverse(), query)
}

/** A chain's transaction is made up, the same for everybody with this seed. */
function assetShape(row: AssetRow, seed: number) {
  const { id, side, token, amount, fee, status, chainId, atMs, updatedAtMs } = row
  return {
    id: String(id),
    tx_id: keccakOfText(`transaction ${seed} ${id}`),
    side,
    token,
    amount: tokenNumber(token, amount),
    fee: tokenNumber(token, fee),
    trans_status: status,
    created_time: atMs,
    updated_time: updatedAtMs,
    chain_id: chainId,
  }
}
