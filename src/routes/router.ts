import type { Cidr } from '../core/client-address.ts'
import { turn } from '../core/loop/guarded.ts'
import { once } from '../core/loop/once.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { instructionsFor } from '../mcp/instructions.ts'
import { listedTools, loadTools } from '../mcp/protocol/listed.ts'
import type { Swap } from '../swap/swap.ts'
import type { Vouchers } from '../voucher/voucher.ts'
import { app } from './app.ts'
import type { Recorder } from './console/recorder.ts'
import type { Callers } from './http/callers.ts'
import type { Origins } from './http/cors.ts'
import type { FailedParts } from './http/failed.ts'
import type { Sockets } from './http/sockets.ts'
import type { ActsParts } from './operator/acts.ts'
import type { WordParts } from './operator/words.ts'
import type { OpenStream } from './stream.ts'

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
  readonly tellVenue: WordParts['tellVenue']
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
