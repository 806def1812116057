import { sumOrNull, toAmount } from '../../../perp/amounts.ts'
import { type Exact, memberRows, memberText } from '../../common/exact-json.ts'
import { displayDecimal } from '../../common/format.ts'

/** A position that has been closed, completely or in part. */
export type ClosedPosition = ReturnType<typeof closedPositions>[number]

const FEES = ['trading_fee', 'insurance_fund_fee', 'liquidator_fee'] as const

/** The rows of `GET /v1/position_history`. An amount that changed the account is negative if paid, and null if unknown. */
export function closedPositions(answer: Exact) {
  return memberRows(answer, 'rows').map((row) => {
    const value = (name: string) => displayDecimal(memberText(row, name))
    const change = (name: string) => {
      const paid = toAmount(memberText(row, name))
      return paid && -paid
    }
    return {
      id: memberText(row, 'position_id'),
      symbol: memberText(row, 'symbol'),
      isLong: memberText(row, 'side') === 'LONG',
      isIsolated: memberText(row, 'margin_mode') === 'ISOLATED',
      leverage: memberText(row, 'leverage'),
      /** The closed size, and the largest size that the position had. */
      size: value('closed_position_qty'),
      largest: value('max_position_qty'),
      entry: value('avg_open_price'),
      exit: value('avg_close_price'),
      /** The PnL of the closed size, before fees and funding. */
      pnl: toAmount(memberText(row, 'realized_pnl')),
      /** All fees, those of a liquidation included. */
      fees: sumOrNull(FEES, change),
      funding: change('accumulated_funding_fee'),
      /** The way it was closed: `active`, `liquidated` or `adl`. */
      type: memberText(row, 'type'),
      openedAtMs: Number(memberText(row, 'open_timestamp')),
      closedAtMs: Number(
        memberText(row, 'close_timestamp') || memberText(row, 'last_update_timestamp'),
      ),
    }
  })
}
