import { Elysia } from 'elysia'
import { Failure } from '../core/failure.ts'
import { chargeMalformed, relay as forward } from '../gateway/relay/relay.ts'
import { Envelope } from '../spec/envelope.ts'
import { ROUTES } from '../spec/routes.ts'
import { readBody } from './http/body.ts'
import { toResponse } from './http/responses.ts'
import type { RouteParts } from './verbs.ts'

/** The one door for every private call. */
export const relay = (parts: RouteParts) =>
  new Elysia({ name: 'routes.relay' }).post(
    ROUTES.relay.path,
    async ({ request }) => {
      const envelope = await readEnvelope(parts, request)
      const answer = await forward(parts.deps, envelope, parts.callers.of(request))
      return toResponse(answer, request.headers)
    },
    { parse: 'none' },
  )

// Nonsense has no window of its own yet, so it is charged to one for nonsense.
async function readEnvelope({ deps, callers }: RouteParts, request: Request) {
  try {
    return await readBody(request, Envelope)
  } catch (error) {
    if (error instanceof Failure) chargeMalformed(deps, callers.of(request))
    throw error
  }
}
