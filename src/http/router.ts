import { Elysia } from 'elysia'
import { instructionsFor } from '../agents/protocol/instructions.ts'
import { toolsBefore } from '../agents/tools/tools.ts'
import { VENUE_HEADER } from '../contract/headers.ts'
import { ROUTES, type Route } from '../contract/routes.ts'
import { isPracticeKind, type VenueKind } from '../contract/venue/kind.ts'
import { crashFields } from '../core/log.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Swap } from '../gateway/swap/swap.ts'
import type { Vouchers } from '../gateway/voucher/voucher.ts'
import { type AgentRouteOptions, agent } from './agent/agent.ts'
import type { Recorder } from './console/recorder.ts'
import { toPublicAnswer } from './console/tally.ts'
import { docs } from './docs/docs.ts'
import type { PracticeAccess } from './docs/practice.ts'
import { account, discovery, market, referral, swap } from './families.ts'
import { type OperatorRouteOptions, operator } from './operator/operator.ts'
import type { PageFacts } from './pages/bundle.ts'
import { approve, pageRoutes } from './pages.ts'
import { withPracticeStep } from './practice.ts'
import { type RelayRouteOptions, relayRoutes } from './relay.ts'
import { type AccessLines, countIgnoredProxies, createAccessLog } from './server/access.ts'
import { createCallers } from './server/callers.ts'
import { type FailureOptions, failedResponse, unknownRoute } from './server/failed-response.ts'
import { createFronts, type FrontOptions, type Fronts } from './server/front.ts'
import { hotReads } from './server/hot.ts'
import { createRequestIds } from './server/request.ts'
import { failureResponse, methodNotAllowed } from './server/responses.ts'
import type { Sockets } from './server/sockets.ts'
import { type OpenStream, streamRoutes } from './stream.ts'
import { uncodedRoutes } from './uncoded-routes.ts'

export type PublicRouterOptions = Pick<FrontOptions, 'trusted' | 'origins'> &
  Pick<OperatorRouteOptions, 'acts'> & {
    readonly gateway: Gateway
    readonly swap: Swap
    readonly vouchers: Vouchers
    readonly openStream: OpenStream | null
    /** The listener's sockets. */
    readonly sockets: Sockets
    readonly accessLines: AccessLines
    /** Host names that the agent endpoint accepts. */
    readonly hosts: readonly string[]
    readonly recorder: Recorder
    readonly version: string
    readonly venue: VenueKind
    /** Whether the listener itself speaks TLS. */
    readonly tls: boolean
    /** Whether the trading page is served. */
    readonly page: boolean
  }

/** The whole public API over a gateway: the fronts for a listener, with the router behind them. */
export function createPublic(parts: PublicRouterOptions): Fronts {
  const { gateway, trusted, origins, accessLines, recorder, venue } = parts
  const { random, log, meter, cache, limiter, clock, venueClock } = gateway
  const venueNowMs = venueClock === clock ? null : venueClock.nowMs
  const marks = {
    'x-content-type-options': 'nosniff',
    ...(isPracticeKind(venue) && { [VENUE_HEADER]: venue }),
  }
  const shared: Shared = {
    callers: createCallers(),
    log,
    onCrash: (error) => log.error('crash', crashFields(error)),
    explain: isPracticeKind(venue) ? withPracticeStep : (failure) => failure,
  }
  return createFronts({
    ...shared,
    app: createRouter(parts, shared),
    hot: hotReads({ cache, limiter, marks, venueNowMs }, origins),
    trusted,
    onIgnored: countIgnoredProxies(meter, log),
    origins,
    meter,
    onAnswer: (route, response, tookMs) =>
      recorder.answered(toPublicAnswer(route, response, tookMs)),
    requestId: createRequestIds(random, trusted),
    access: createAccessLog({ log, elapsedMs: meter.coarseMs, ...accessLines }),
    marks,
    venueNowMs,
  })
}

/** The parts that the fronts and the router share. */
type Shared = FailureOptions & Pick<FrontOptions, 'callers'>

/** Creates every route over a gateway. */
function createRouter(
  { gateway, hosts, page, ...parts }: PublicRouterOptions,
  shared: Shared,
): FrontOptions['app'] {
  const { operator, clock, venueClock, random, log, meter, limiter, controls } = gateway
  const { advanceClock, clockMover } = gateway
  const { venue, version, origins, recorder, openStream } = parts
  const facts: PageFacts = { service: operator.serviceName, venue, live: openStream ? 'on' : 'off' }
  const routes: { readonly fetch: FrontOptions['app'] } = app({
    ...parts,
    ...shared,
    deps: gateway,
    onWrite: recorder.written,
    limiter,
    controls,
    clock,
    venueClock,
    random,
    log,
    practice: isPracticeKind(venue) ? gateway : null,
    page: page ? facts : null,
    facts,
    sentOrders: gateway.store.once,
    spending: gateway.store.spending,
    operatorLimits: gateway.agentLimits,
    store: gateway.store,
    tools: toolsBefore(advanceClock !== null && clockMover === 'accounts'),
    server: { name: operator.serviceName, version, instructions: instructionsFor(venue) },
    site: { hosts, origins },
    called: (tool, code) => meter.counter('prepd_mcp_calls_total', tool, code).add(),
    inside: async (request) => routes.fetch(request),
  })
  // Reading `fetch` here makes the framework generate its code now instead of at the first request.
  return routes.fetch
}

/** All routes. The failure hook is registered first, because hooks apply only to routes registered after them. */
const app = (
  parts: Omit<PublicRouterOptions, 'gateway' | 'hosts' | 'page'> &
    AgentRouteOptions &
    FailureOptions & {
      readonly deps: Gateway
      /** Opens the reference page's practice account; null on a live venue. */
      readonly practice: PracticeAccess | null
      /** Facts for the trading page; null if the page is not served. */
      readonly page: PageFacts | null
      readonly facts: PageFacts
      readonly onWrite: RelayRouteOptions['onWrite']
    },
) =>
  new Elysia({ name: 'routes.app', strictPath: true, aot: true })
    .onError({ as: 'global' }, ({ code, error, request, set }) => {
      // The response already has a status. The router's status must be 200, because the router copies the response for
      // any other value.
      set.status = 200
      return code === 'NOT_FOUND'
        ? failureResponse(unknownRoute(request))
        : failedResponse(parts, error, request)
    })
    .onBeforeHandle({ as: 'global' }, ({ params, request }) => {
      if (isUnreadable(params)) throw unknownRoute(request)
    })
    .use(discovery(parts))
    .use(account(parts))
    .use(relayRoutes(parts))
    .use(market(parts))
    .use(streamRoutes(parts))
    .use(agent(parts))
    .use(referral(parts))
    .use(swap(parts))
    .use(uncodedRoutes(parts))
    .use(operator(parts))
    .use(docs({ ...parts, serviceName: parts.deps.operator.serviceName }))
    .use(pageRoutes(parts))
    .use(approve(parts))
    .use(otherMethods())

// The router passes null for a path parameter whose percent-escapes are not UTF-8.
function isUnreadable(params: Readonly<Record<string, unknown>> | undefined): boolean {
  for (const name in params) if (params[name] === null) return true
  return false
}

// A known path that does not support the method answers 405 instead of 404.
const otherMethods = () => {
  const plugin = new Elysia({ name: 'routes.other-methods' })
  const routes: Route[] = Object.values(ROUTES)
  for (const route of routes.filter(({ failures }) => !failures)) {
    const allow = route.method === 'GET' ? 'GET, HEAD' : route.method
    plugin.all(route.path.replace('{id}', ':id'), () => {
      throw methodNotAllowed(allow)
    })
  }
  return plugin
}
