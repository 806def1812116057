import { Elysia } from 'elysia'
import { catalogueAnswer } from '../gateway/catalogue.ts'
import { readOperation } from '../gateway/market/operations.ts'
import { admit } from '../limits/admission.ts'
import { ROUTES as R } from '../spec/routes.ts'
import { toResponse } from './http/responses.ts'
import { queryOf, type RouteParts, reading } from './verbs.ts'

/** The catalogue, and the one dispatcher behind it. */
export const discovery = (parts: RouteParts) => {
  const { deps, callers } = parts
  return new Elysia({ name: 'routes.discovery' })
    .get(
      R.catalogue.path,
      reading(parts, R.catalogue, () => catalogueAnswer(deps)),
    )
    .get('/api/prep/op/:id', async ({ request, params }) => {
      const caller = callers.of(request)
      admit(deps, R.operation.policy, caller.limitKey)
      const answer = await readOperation(deps, params.id, queryOf(request), caller)
      return toResponse(answer, request.headers)
    })
}
