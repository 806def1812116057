import { DAY_MS } from '../../contract/durations.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Claim } from '../../core/claim.ts'
import { sha256Hex } from '../../core/digest.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import type { ReservedUse } from '../../core/spending.ts'
import type { OpeningOrder } from '../../perp/order-worst-case.ts'
import { mandateExceeded } from './refusals.ts'

const ID = 'body.client_order_id'

/**
 * Claims of the orders' client order ids for a day. Throws invalid_request for a missing id, duplicate_request for an
 * id that is used twice.
 */
export function idClaims(
  nowMs: number,
  accountId: string,
  orders: readonly OpeningOrder[],
): readonly Claim[] {
  const given = orders.map(({ clientOrderId }) => clientOrderId)
  if (given.includes(null)) throw invalidParameter(ID, 'missing')
  if (new Set(given).size < given.length) throw repeatedId()
  return given.map((id) => {
    const identity = sha256Hex(JSON.stringify(['mandate order', accountId, id]))
    const owner = accountId
    return { identity, owner, sinceMs: nowMs - DAY_MS, expiresAtMs: nowMs + DAY_MS }
  })
}

/** The refusal of ids beyond an account's share of held ids; null if the ids are within it. */
export function idsExcess(
  { length }: readonly Claim[],
  { dayOrders }: ReservedUse,
): Failure | null {
  const limit = LIMITS.orderIdsHeldMax
  const requested = dayOrders + length
  if (length === 0 || requested <= limit) return null
  return mandateExceeded({ reason: 'rate', limit, requested, left: Math.max(0, limit - dayOrders) })
}

/** The refusal of an id that was used before. */
export function repeatedId(): Failure {
  return new Failure('duplicate_request', { parameter: ID })
}
