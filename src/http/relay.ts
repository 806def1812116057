import { Elysia } from 'elysia'
import { FAUCET_PATH, MANDATE_PATH } from '../contract/act-paths.ts'
import { Envelope } from '../contract/envelope.ts'
import { REPLAY_HEADER } from '../contract/headers.ts'
import { ROUTES } from '../contract/routes.ts'
import { STANDBY_PATH, StandbyBody } from '../contract/standby.ts'
import { ADVANCE_PATH } from '../contract/venue/advance.ts'
import type { Caller } from '../core/client-address.ts'
import { Failure } from '../core/failure.ts'
import { currentRequest, type Refused } from '../core/observing/request-context.ts'
import { programName } from '../core/program-name.ts'
import { type AdvanceAccess, advanceAct } from '../gateway/account/advance.ts'
import { type FaucetAccess, faucetAct } from '../gateway/account/faucet.ts'
import { type MandateAccess, mandateAct } from '../gateway/account/key-act.ts'
import type { Answer } from '../gateway/cache/answer.ts'
import { admit, RateLimited } from '../gateway/limits/admission.ts'
import type { MarketAccess } from '../gateway/market/cached-answers.ts'
import { explainRefusedOrder } from '../gateway/relay/refused-order.ts'
import { chargeMalformed, relay as forward, type RelayAccess } from '../gateway/relay/relay.ts'
import { armStandby, type StandbyAccess, standbyAct } from '../gateway/standby/standby.ts'
import { withApprovalLink } from './approval-link.ts'
import { readBody } from './server/body.ts'
import type { ConnectedCaller } from './server/callers.ts'
import { type RouteAccess, routePlugin, UNPARSED_BODY, writeRoute } from './server/endpoints.ts'
import { isOwnHost, type Listening, requestOrigin, type SiteRules } from './server/origin.ts'
import { toResponse } from './server/responses.ts'

export type RelayRouteOptions = RouteAccess &
  Listening & {
    readonly site: Pick<SiteRules, 'hosts'>
    readonly deps: RelayAccess &
      StandbyAccess &
      MandateAccess &
      MarketAccess &
      AdvanceAccess &
      FaucetAccess
    /** Receives the outcome of each well-formed write: `accepted`, `replayed`, or the code of its failure. */
    readonly onWrite: (outcome: string) => void
  }

/** The two relay routes for private calls, and the route that deposits standby cancels. */
export const relayRoutes = (parts: RelayRouteOptions) =>
  new Elysia({ name: 'routes.relay' })
    .post(
      ROUTES.relay.path,
      ({ request }) => relayed(parts, request, answerEnvelope),
      UNPARSED_BODY,
    )
    .post(
      ROUTES.approvedRelay.path,
      ({ request }) => relayed(parts, request, answerApproved),
      UNPARSED_BODY,
    )
    .use(
      routePlugin('standby', parts, [
        writeRoute(ROUTES.standby, StandbyBody, (body, caller) =>
          armStandby(parts.deps, body, caller),
        ),
      ]),
    )

async function relayed(
  parts: RelayRouteOptions,
  request: Request,
  answer: (parts: RelayRouteOptions, envelope: Envelope, sender: Sender) => Promise<Answer>,
): Promise<Response> {
  const envelope = await readEnvelope(parts, request)
  const caller = parts.callers.of(request)
  const program = () => programName(request.headers.get('user-agent'))
  try {
    return toResponse(await answer(parts, envelope, { caller, program }), request.headers)
  } catch (error) {
    noteRefusal(error)
    throw withApprovalLink(
      error,
      isOwnHost(request, parts.site.hosts) ? requestOrigin(request, caller, parts) : null,
    )
  }
}

/** The caller of an envelope. `program` returns the name of the caller's program. */
type Sender = { readonly caller: ConnectedCaller; readonly program: () => string | null }

async function answerEnvelope(
  parts: RelayRouteOptions,
  envelope: Envelope,
  { caller, program }: Sender,
): Promise<Answer> {
  const { deps } = parts
  const act = SERVICE_ACTS.get(envelope.path)
  if (!act)
    return reportWrite(parts, envelope, () => forward(deps, envelope, caller, false, program))
  await admit(parts.limiter, ROUTES.relay.policy, caller.limitKey)
  return act(deps, envelope, caller)
}

function answerApproved(
  parts: RelayRouteOptions,
  envelope: Envelope,
  { caller, program }: Sender,
): Promise<Answer> {
  const { deps } = parts
  return reportWrite(parts, envelope, () => forward(deps, envelope, caller, true, program))
}

/** Signed calls that this service handles itself, by path. These paths do not exist at the venue. */
const SERVICE_ACTS: ReadonlyMap<string, ServiceAct> = new Map<string, ServiceAct>([
  [STANDBY_PATH, standbyAct],
  [MANDATE_PATH, mandateAct],
  [ADVANCE_PATH, advanceAct],
  [FAUCET_PATH, faucetAct],
])

type ServiceAct = (
  deps: RelayRouteOptions['deps'],
  envelope: Envelope,
  caller: Caller,
) => Promise<Answer>

/** Stores the reason of a refusal, for the request's line in the access log. */
function noteRefusal(error: unknown): void {
  const call = currentRequest()?.call
  if (call) call.refusal = toRefused(error)
}

function toRefused(error: unknown): Refused {
  if (!(error instanceof Failure)) return { code: 'internal' }
  const { code, meta } = error
  const { parameter, reason, expected } = meta ?? {}
  const bound = error instanceof RateLimited ? windowText(error.verdict) : expected
  return {
    code,
    ...(typeof parameter === 'string' && { parameter }),
    ...(reason !== undefined && { reason }),
    ...(bound !== undefined && { bound: String(bound) }),
  }
}

function windowText({
  policy: { name, requests, seconds, burst },
}: RateLimited['verdict']): string {
  return `${name} ${requests}/${seconds}s burst ${burst}`
}

async function reportWrite(
  { onWrite, deps }: RelayRouteOptions,
  envelope: Envelope,
  call: () => Promise<Answer>,
): Promise<Answer> {
  if (envelope.method === 'GET') return call()
  try {
    const answer = await call()
    onWrite(REPLAY_HEADER in answer.headers ? 'replayed' : 'accepted')
    return answer
  } catch (error) {
    onWrite(error instanceof Failure ? error.code : 'internal')
    throw await explainRefusedOrder(deps, error, envelope)
  }
}

// A malformed request names no account, so it is charged to the caller's "malformed" window.
async function readEnvelope({ limiter, callers }: RelayRouteOptions, request: Request) {
  try {
    return await readBody(request, Envelope, callers.of(request).limitKey)
  } catch (error) {
    if (error instanceof Failure) chargeMalformed(limiter, callers.of(request))
    throw error
  }
}
