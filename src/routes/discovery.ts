import { Elysia } from 'elysia'
import { catalogueAnswer } from '../gateway/catalogue.ts'
import { type OperationDeps, readOperation } from '../gateway/market/operations.ts'
import { admitRead } from '../limits/admission.ts'
import { ROUTES as R } from '../spec/routes.ts'
import { toResponse } from './http/responses.ts'
import { type Entrance, queryOf, reading } from './verbs.ts'

/** The catalogue, and the one dispatcher behind it. */
export const discovery = (parts: Entrance & { readonly deps: OperationDeps }) => {
  const { deps, callers, limiter } = parts
  return new Elysia({ name: 'routes.discovery' })
    .get(
      R.catalogue.path,
      reading(parts, R.catalogue, () => catalogueAnswer(deps)),
    )
    .get('/api/prep/op/:id', async ({ request, params }) => {
      const caller = callers.of(request)
      admitRead(limiter, caller.limitKey)
      const answer = await readOperation(deps, params.id, queryOf(request), caller)
      return toResponse(answer, request.headers)
    })
}
