import { Elysia } from 'elysia'
import { admit } from '../gateway/admission.ts'
import { assertOperator } from '../gateway/operator-key.ts'
import { promoteAffiliate } from '../gateway/referral-promote.ts'
import { PromotionBody } from '../spec/referral.ts'
import { readBody } from './body.ts'
import { toResponse } from './responses.ts'
import type { RouteParts } from './verbs.ts'

/** What only the operator may do. Without an operator key there is nothing here. */
export const operator = ({ deps, callers }: RouteParts, operatorKey: string | null) => {
  const plugin = new Elysia({ name: 'routes.operator' })
  if (operatorKey === null) return plugin
  return plugin.post(
    '/api/admin/venue/promote',
    async ({ request }) => {
      admit(deps, 'admin', callers.of(request).limitKey)
      assertOperator(request.headers.get('authorization'), operatorKey)
      const body = await readBody(request, PromotionBody)
      return toResponse(await promoteAffiliate(deps, body), request.headers)
    },
    { parse: 'none' },
  )
}
