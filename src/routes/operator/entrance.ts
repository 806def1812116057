import { Failure } from '../../core/failure.ts'
import { matchingKey } from '../../gateway/controls/controls.ts'
import { admit, type Charging } from '../../limits/admission.ts'
import { assertNotBlocked } from '../../limits/rules.ts'
import { headerOf } from '../http/header.ts'

/**
 * The operator key that a request bears. A caller's wrong keys are charged to a window of their own, so that they never
 * shut out a right one. Throws Failure unauthorized for a wrong key, rate_limited for too many, forbidden for a blocked
 * caller.
 */
export async function authorize(
  limiter: Charging,
  { headers }: Request,
  operatorKeys: readonly string[],
  limitKey: string,
): Promise<string> {
  assertNotBlocked(limiter, limitKey)
  const key = matchingKey(headerOf(headers, 'authorization'), operatorKeys)
  await admit(limiter, 'admin', key === null ? `wrong key:${limitKey}` : limitKey)
  if (key === null) throw new Failure('unauthorized')
  return key
}
