import { Elysia } from 'elysia'
import { Failure } from '../core/failure.ts'
import { chargeMalformed, relay as forward, type RelayDeps } from '../gateway/relay/relay.ts'
import { Envelope } from '../spec/envelope.ts'
import { ROUTES } from '../spec/routes.ts'
import { readBody } from './http/body.ts'
import { toResponse } from './http/responses.ts'
import { type Entrance, RAW } from './verbs.ts'

type RelayParts = Entrance & { readonly deps: RelayDeps }

/** The one door for every private call. */
export const relay = (parts: RelayParts) =>
  new Elysia({ name: 'routes.relay' }).post(
    ROUTES.relay.path,
    async ({ request }) => {
      const envelope = await readEnvelope(parts, request)
      const answer = await forward(parts.deps, envelope, parts.callers.of(request))
      return toResponse(answer, request.headers)
    },
    RAW,
  )

// Nonsense has no window of its own yet, so it is charged to one for nonsense.
async function readEnvelope({ limiter, callers }: RelayParts, request: Request) {
  try {
    return await readBody(request, Envelope)
  } catch (error) {
    if (error instanceof Failure) chargeMalformed(limiter, callers.of(request))
    throw error
  }
}
