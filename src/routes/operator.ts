import { Elysia } from 'elysia'
import type { ReferralDeps } from '../gateway/referral/deps.ts'
import { promoteAffiliate } from '../gateway/referral/promote.ts'
import { PromotionBody } from '../spec/referral.ts'
import { readBody } from './http/body.ts'
import { methodNotAllowed, toResponse } from './http/responses.ts'
import { assertAdmitted, type OperatorEntrance } from './operator-entrance.ts'
import { RAW } from './verbs.ts'
import { WORD_PATHS } from './words.ts'

type OperatorParts = OperatorEntrance & {
  readonly deps: Pick<ReferralDeps, 'referral' | 'scrub'>
}

const PROMOTE = '/api/admin/venue/promote'

/** The operator's paths, which are reached by no other spelling. */
export const OPERATOR_PATHS = [PROMOTE, ...WORD_PATHS]

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
