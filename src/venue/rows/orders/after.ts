import type { Seat } from '../../exchange/seat.ts'
import { integerField, parseBody } from '../../wire/body.ts'
import { refusal } from '../../wire/refusals.ts'
import type { VenueCall } from '../../wire/row.ts'

const AFTER_MS = { min: 5000, max: 900_000 } as const

/**
 * POST /v1/order/cancel_all_after: all open orders, algo orders too, are cancelled after so many milliseconds of the
 * venue's clock unless this is asked again before; zero takes it back. Throws -1005.
 */
export function cancelAllAfter({ engine, account }: Seat, { body, nowMs }: VenueCall) {
  const afterMs = integerField(parseBody(body), 'trigger_after', 0, AFTER_MS.max)
  if (afterMs === undefined) throw refusal('parameter', 'trigger_after is required')
  if (afterMs > 0 && afterMs < AFTER_MS.min)
    throw refusal(
      'parameter',
      `trigger_after must be 0, or between ${AFTER_MS.min} and ${AFTER_MS.max}`,
    )
  const at = afterMs === 0 ? null : nowMs + afterMs
  engine.submit('cancelAllAt', { account: account.number, at }, nowMs)
  return { expected_trigger_time: at ?? 0 }
}
