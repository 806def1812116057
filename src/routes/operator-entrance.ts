import { assertOperator } from '../gateway/referral/operator-key.ts'
import { admit } from '../limits/admission.ts'
import { headerOf } from './http/header.ts'
import { assertSameSite, type SiteRules } from './http/same-site.ts'
import type { Entrance } from './verbs.ts'

/** What every operator's route looks at before it does anything. */
export type OperatorEntrance = Entrance & {
  readonly operatorKey: string | null
  readonly site: SiteRules
}

/**
 * Lets the operator pass. In this order, so that a page in somebody's browser or a guesser of keys learns nothing and is
 * counted. Throws Failure.
 */
export function assertAdmitted(
  { limiter, callers, site }: OperatorEntrance,
  request: Request,
  operatorKey: string,
): void {
  assertSameSite(request, site)
  admit(limiter, 'admin', callers.of(request).limitKey)
  assertOperator(headerOf(request.headers, 'authorization'), operatorKey)
}
