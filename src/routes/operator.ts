import { Elysia } from 'elysia'
import type { ReferralDeps } from '../gateway/referral/deps.ts'
import { assertOperator } from '../gateway/referral/operator-key.ts'
import { promoteAffiliate } from '../gateway/referral/promote.ts'
import { admit } from '../limits/admission.ts'
import { PromotionBody } from '../spec/referral.ts'
import { NOTICE_PATHS } from '../spec/venue/notices.ts'
import { readBody } from './http/body.ts'
import { headerOf } from './http/header.ts'
import { methodNotAllowed, toResponse } from './http/responses.ts'
import { assertSameSite, type SiteRules } from './http/same-site.ts'
import { type Entrance, RAW } from './verbs.ts'

type OperatorParts = OperatorEntrance & {
  readonly deps: Pick<ReferralDeps, 'referral' | 'scrub'>
  readonly operatorKey: string | null
}

/** What decides who comes in as the operator. */
export type OperatorEntrance = Entrance & { readonly site: SiteRules }

const PROMOTE = '/api/admin/venue/promote'

/** The operator's paths, which are reached by no other spelling. */
export const OPERATOR_PATHS = [PROMOTE, ...Object.values(NOTICE_PATHS)]

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

/**
 * Throws Failure unless a request bears the operator's key. In this order, so that a page in somebody's browser or a
 * guesser of keys learns nothing and is counted.
 */
export function assertAdmitted(
  { limiter, callers, site }: OperatorEntrance,
  request: Request,
  operatorKey: string,
) {
  assertSameSite(request, site)
  admit(limiter, 'admin', callers.of(request).limitKey)
  assertOperator(headerOf(request.headers, 'authorization'), operatorKey)
}
