import { Elysia } from 'elysia'
import type { ReferralDeps } from '../gateway/referral/deps.ts'
import { assertOperator } from '../gateway/referral/operator-key.ts'
import { promoteAffiliate } from '../gateway/referral/promote.ts'
import { admit } from '../limits/admission.ts'
import { PromotionBody } from '../spec/referral.ts'
import { readBody } from './http/body.ts'
import { headerOf } from './http/header.ts'
import { methodNotAllowed, toResponse } from './http/responses.ts'
import { assertSameSite, type SiteRules } from './http/same-site.ts'
import { type Entrance, RAW } from './verbs.ts'

type OperatorParts = Entrance & {
  readonly deps: Pick<ReferralDeps, 'referral' | 'scrub'>
  readonly operatorKey: string | null
  readonly site: SiteRules
}

const PROMOTE = '/api/admin/venue/promote'

/** The paths of this family, which are reached by no other spelling. */
export const OPERATOR_PATHS = [PROMOTE]

/** What only the operator may do. Without an operator key there is nothing here. */
export const operator = (parts: OperatorParts) => {
  const plugin = new Elysia({ name: 'routes.operator' })
  const { operatorKey } = parts
  if (operatorKey === null) return plugin
  return plugin
    .post(
      PROMOTE,
      async ({ request }) => {
        assertAdmitted(parts, request, operatorKey)
        const body = await readBody(request, PromotionBody)
        return toResponse(await promoteAffiliate(parts.deps, body), request.headers)
      },
      RAW,
    )
    .all(PROMOTE, () => {
      throw methodNotAllowed('POST')
    })
}

// In this order, so that a page in somebody's browser or a guesser of keys learns nothing and is counted.
function assertAdmitted(
  { limiter, callers, site }: OperatorParts,
  request: Request,
  operatorKey: string,
) {
  assertSameSite(request, site)
  admit(limiter, 'admin', callers.of(request).limitKey)
  assertOperator(headerOf(request.headers, 'authorization'), operatorKey)
}
