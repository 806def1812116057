import type { Cidr } from '../core/client-address.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { instructionsFor } from '../mcp/instructions.ts'
import { TOOLS } from '../mcp/tools/tools.ts'
import type { Swap } from '../swap/swap.ts'
import type { Vouchers } from '../voucher/voucher.ts'
import { app } from './app.ts'
import { answeredOf } from './console/answered.ts'
import type { Recorder } from './console/recorder.ts'
import { hotReads } from './hot.ts'
import { type AccessLines, createAccessLog } from './http/access.ts'
import { createCallers } from './http/callers.ts'
import type { Origins } from './http/cors.ts'
import { crashFields } from './http/crash.ts'
import { createFronts, type Fronts } from './http/front.ts'
import { createRequestIds } from './http/request-id.ts'
import type { Sockets } from './http/sockets.ts'
import type { ActsParts } from './operator/acts.ts'
import type { WordParts } from './operator/words.ts'
import { withPracticeStep } from './practice.ts'
import type { OpenStream } from './stream.ts'

type Parts = {
  readonly gateway: Gateway
  readonly swap: Swap
  readonly vouchers: Vouchers
  readonly openStream: OpenStream | null
  /** The listener's sockets. */
  readonly sockets: Sockets
  readonly trusted: readonly Cidr[]
  readonly origins: Origins
  readonly accessLines: AccessLines
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

type Router = { readonly fetch: (request: Request) => Response | Promise<Response> }

/** The whole public surface over a gateway, ready for a listener. */
export function createPublic({
  gateway,
  swap,
  vouchers,
  openStream,
  sockets,
  trusted,
  origins,
  accessLines,
  hosts,
  recorder,
  version,
  acts,
  tellVenue,
  venue,
  tls,
  page,
}: Parts): Fronts {
  const { operator, clock, random, log, meter, cache, limiter, controls } = gateway
  const callers = createCallers()
  const marks = {
    'x-content-type-options': 'nosniff',
    ...(venue === 'embedded' && { 'x-prepd-venue': 'embedded' }),
  }
  const instructions = instructionsFor(venue)
  const onCrash = (error: unknown) => log.error('crash', crashFields(error))
  const router: Router = app({
    deps: gateway,
    swap,
    vouchers,
    openStream,
    sockets,
    origins,
    callers,
    onWrite: recorder.written,
    limiter,
    controls,
    clock,
    random,
    log,
    version,
    acts,
    tellVenue,
    practice: venue === 'embedded' ? gateway : null,
    explain: venue === 'embedded' ? withPracticeStep : (failure) => failure,
    page: page ? { service: operator.serviceName, venue, live: openStream ? 'on' : 'off' } : null,
    trusted,
    tls,
    venue,
    tools: TOOLS,
    server: { name: operator.serviceName, version, instructions },
    site: { hosts, origins },
    called: (tool, code) => meter.counter('prepd_mcp_calls_total', tool, code).add(),
    inside: async (request) => router.fetch(request),
    onCrash,
  })
  return createFronts({
    app: (request) => router.fetch(request),
    hot: hotReads({ cache, limiter }, marks, origins),
    callers,
    trusted,
    origins,
    meter,
    onAnswer: (route, response, tookMs) => recorder.answered(answeredOf(route, response, tookMs)),
    requestId: createRequestIds(random, trusted),
    access: createAccessLog({ log, elapsedMs: meter.coarseMs, ...accessLines }),
    onCrash,
    marks,
  })
}
