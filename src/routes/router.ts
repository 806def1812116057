import { Elysia } from 'elysia'
import type { Cidr } from '../core/client-address.ts'
import { turn } from '../core/loop/guarded.ts'
import { once } from '../core/loop/once.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { instructionsFor, listedTools, loadTools } from '../mcp/protocol/listed.ts'
import { ROUTES, type Route } from '../spec/routes.ts'
import type { Swap } from '../swap/swap.ts'
import type { Vouchers } from '../voucher/voucher.ts'
import { type AgentParts, agent } from './agent/agent.ts'
import type { Recorder } from './console/recorder.ts'
import { docs } from './docs/docs.ts'
import type { PracticeDeps } from './docs/practice.ts'
import { account, discovery, market, referral, swap } from './families.ts'
import type { Callers } from './http/callers.ts'
import type { Origins } from './http/cors.ts'
import { type FailedParts, failedResponse, unknownRoute } from './http/failed.ts'
import { failureResponse, methodNotAllowed } from './http/responses.ts'
import type { Sockets } from './http/sockets.ts'
import { legacy } from './legacy.ts'
import type { ActsParts } from './operator/acts.ts'
import { type CommandParts, operator, venueCommands } from './operator/operator.ts'
import { page } from './page.ts'
import type { PageFacts } from './pages/bundle.ts'
import { type RelayParts, relay } from './relay.ts'
import { type OpenStream, type StreamParts, stream } from './stream.ts'

export type Router = { readonly fetch: (request: Request) => Response | Promise<Response> }

/** What the front and the router have in common. */
export type Shared = FailedParts & { readonly callers: Callers }

export type RouterParts = {
  readonly gateway: Gateway
  readonly swap: Swap
  readonly vouchers: Vouchers
  readonly openStream: OpenStream | null
  /** The listener's sockets. */
  readonly sockets: Sockets
  readonly trusted: readonly Cidr[]
  readonly origins: Origins
  /** Names that the agent endpoint answers to. */
  readonly hosts: readonly string[]
  readonly recorder: Recorder
  readonly version: string
  /** What the operator can do; null without an operator key. */
  readonly acts: ActsParts | null
  readonly runVenueCommand: CommandParts['runVenueCommand']
  readonly venue: 'embedded' | 'live'
  /** Whether the listener itself speaks TLS. */
  readonly tls: boolean
  /** Whether the trading page is served. */
  readonly page: boolean
}

/** Every route over a gateway, made a piece a turn: it is made while others are answered. */
export async function createRouter(
  { gateway, hosts, page, ...parts }: RouterParts,
  shared: Shared,
): Promise<Router> {
  const { operator, clock, random, log, meter, limiter, controls } = gateway
  const { venue, version, origins, recorder, openStream } = parts
  const routes: Router = app({
    ...parts,
    ...shared,
    deps: gateway,
    onWrite: recorder.written,
    limiter,
    controls,
    clock,
    random,
    log,
    practice: venue === 'embedded' ? gateway : null,
    page: page ? { service: operator.serviceName, venue, live: openStream ? 'on' : 'off' } : null,
    sentOrders: gateway.store.once,
    tools: loadTools,
    listed: once(listedTools).get,
    server: { name: operator.serviceName, version, instructions: instructionsFor(venue) },
    site: { hosts, origins },
    called: (tool, code) => meter.counter('prepd_mcp_calls_total', tool, code).add(),
    inside: async (request) => routes.fetch(request),
  })
  await turn()
  // The framework writes its code when it is first asked for this.
  const { fetch } = routes
  await turn()
  return { fetch }
}

/** The table of contents: failures first, because hooks reach only what follows them, then the families. */
const app = (
  parts: AgentParts &
    FailedParts &
    StreamParts & {
      readonly deps: Gateway
      readonly swap: Swap
      readonly vouchers: Vouchers
      /** Null without an operator key. */
      readonly acts: ActsParts | null
      readonly runVenueCommand: CommandParts['runVenueCommand']
      readonly version: string
      /** What the reference page practises with; null on a live venue. */
      readonly practice: PracticeDeps | null
      /** Null where the trading page is off. */
      readonly page: PageFacts | null
      readonly onWrite: RelayParts['onWrite']
    },
) =>
  new Elysia({ name: 'routes.app', strictPath: true, aot: true })
    .onError({ as: 'global' }, ({ code, error, request, set }) => {
      // The response says its own status; with another here, the router would answer a copy of it.
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
    .use(relay(parts))
    .use(market(parts))
    .use(stream(parts))
    .use(agent(parts))
    .use(referral(parts))
    .use(swap(parts))
    .use(legacy(parts))
    .use(operator(parts))
    .use(venueCommands(parts))
    .use(docs({ ...parts, serviceName: parts.deps.operator.serviceName }))
    .use(page(parts))
    .use(otherMethods())

// The router passes a parameter whose escapes are not UTF-8 as null.
function isUnreadable(params: Readonly<Record<string, unknown>> | undefined): boolean {
  for (const name in params) if (params[name] === null) return true
  return false
}

// A known path asked with a method it does not have is 405, not 404.
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
