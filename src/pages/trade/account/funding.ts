import { sumOrNull, toAmount } from '../../../perp/amounts.ts'
import { type Exact, memberRows, memberText } from '../../common/exact-json.ts'
import { displayDecimal } from '../../common/format.ts'
import type { AccountPosition } from './rows.ts'

/** Maximum number of charges in one answer. At this number older charges may be missing, so a position's sum is unknown. */
export const CHARGES_MAX = 500

/** The charges of `GET /v1/funding_fee/history`, which gives the sign as `payment_type`. */
export function fundingCharges(answer: Exact) {
  return memberRows(answer, 'rows').map((row) => {
    const amount = toAmount(memberText(row, 'funding_fee'))
    return {
      symbol: memberText(row, 'symbol'),
      rate: displayDecimal(memberText(row, 'funding_rate')),
      /** Positive if the account received the funding; null if unknown. */
      amount: memberText(row, 'payment_type') === 'Receive' ? amount : amount && -amount,
      atMs: Number(memberText(row, 'created_time')),
    }
  })
}

type Opened = Pick<AccountPosition, 'symbol' | 'openedAtMs'>

/**
 * The sum of a position's charges since it was opened; null if charges may be missing or the opening time is unknown.
 * `closed` is the answer to `GET /v1/position_history`. If the answer has a close after `openedAtMs`, then `openedAtMs`
 * belongs to an earlier position and counts as unknown.
 */
export function fundingSince(
  charges: ReturnType<typeof fundingCharges>,
  closed: Exact,
  { symbol, openedAtMs }: Opened,
): bigint | null {
  if (charges.length >= CHARGES_MAX || openedAtMs === null) return null
  const isOlder = memberRows(closed, 'rows').some(
    (row) =>
      memberText(row, 'symbol') === symbol &&
      memberText(row, 'status') === 'closed' &&
      Number(memberText(row, 'close_timestamp')) > openedAtMs,
  )
  if (isOlder) return null
  const own = charges.filter((charge) => charge.symbol === symbol && charge.atMs >= openedAtMs)
  return sumOrNull(own, ({ amount }) => amount)
}
