import type { Act } from '../../contract/operator/acts.ts'
import { Failure } from '../../core/failure.ts'
import { matchingKey } from '../../gateway/controls/controls.ts'
import { admit, type ChargeableWindows } from '../../gateway/limits/admission.ts'
import { assertNotBlocked } from '../../gateway/limits/limiter.ts'
import { requestHeader } from '../server/request.ts'
import { methodNotAllowed } from '../server/responses.ts'

/** The operator's keys, and the limiter that counts attempts. */
type KeyCheck = {
  readonly deps: { readonly limiter: ChargeableWindows }
  /** Called for each request, so that the keys can change. */
  readonly operatorKeys: () => readonly string[]
}

/**
 * The operator key of a request with an allowed method. A caller's wrong keys are charged to a separate window, so that
 * they never block a right key. Throws Failure method_not_allowed, unauthorized for a wrong key, rate_limited for too
 * many requests, forbidden for a blocked caller.
 */
export async function authorize(
  { deps: { limiter }, operatorKeys }: KeyCheck,
  { method, headers }: Request,
  allowed: Act['method'],
  limitKey: string,
): Promise<string> {
  const isRead = allowed === 'GET'
  if (method !== allowed && !(isRead && method === 'HEAD'))
    throw methodNotAllowed(isRead ? 'GET, HEAD' : 'POST')
  assertNotBlocked(limiter, limitKey)
  const key = matchingKey(requestHeader(headers, 'authorization'), operatorKeys())
  await admit(limiter, 'admin', key === null ? `wrong key:${limitKey}` : limitKey)
  if (key === null) throw new Failure('unauthorized')
  return key
}
