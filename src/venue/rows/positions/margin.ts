import { AMOUNT_MAX } from '../../engine/units.ts'
import { marketOf, type Seat } from '../../exchange/seat.ts'
import { refused } from '../../orders/outcomes.ts'
import { choiceField, decimalField, parseBody, requiredText } from '../../wire/body.ts'
import { refusal } from '../../wire/refusals.ts'
import type { VenueCall } from '../../wire/row.ts'

const UNITS_IN_MICRO = 100n

/**
 * POST /v1/position_margin: moves balance into an isolated position (ADD) or out of it (REDUCE). Throws -1005 on an
 * amount that is none, -1006 without such a position, -1101 when the account has not as much to give, or the position
 * needs what it has.
 */
export function movePositionMargin(seat: Seat, { body, nowMs }: VenueCall): undefined {
  const fields = parseBody(body)
  const { number: market } = marketOf(seat, requiredText(fields, 'symbol'))
  const type = choiceField(fields, 'type', ['ADD', 'REDUCE'] as const)
  if (!type) throw refusal('parameter', 'type is required')
  const units = decimalField(fields, 'amount')
  if (units === undefined) throw refusal('parameter', 'amount is required')
  if (units <= 0n || units % UNITS_IN_MICRO !== 0n)
    throw refusal('parameter', 'amount must be positive, with at most six decimals')
  const micros = Math.min(Number(units / UNITS_IN_MICRO), AMOUNT_MAX)
  const amount = type === 'ADD' ? micros : -micros
  const change = { account: seat.account.number, market, amount }
  const outcome = seat.engine.submit('margin', change, nowMs)
  if (outcome) throw refused(outcome)
}
