import type { Cidr } from '../core/client-address.ts'
import { toHex } from '../core/hex.ts'
import type { Clock, Random } from '../core/ports.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { instructionsFor } from '../mcp/instructions.ts'
import { TOOLS } from '../mcp/tools/tools.ts'
import type { Swap } from '../swap/swap.ts'
import type { Vouchers } from '../voucher/voucher.ts'
import { app } from './app.ts'
import { answeredOf } from './console/answered.ts'
import type { Recorder } from './console/recorder.ts'
import { hotReads } from './hot.ts'
import { createCallers } from './http/callers.ts'
import { EVERYONE_HEADERS, type Origins } from './http/cors.ts'
import { crashFields } from './http/crash.ts'
import { createFront, type Front } from './http/front.ts'
import type { Meter } from './http/meter.ts'
import type { Sockets } from './http/sockets.ts'
import { withPracticeStep } from './practice.ts'
import type { OpenStream } from './stream.ts'
import type { WordParts } from './words.ts'

type Parts = {
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
  readonly meter: Meter
  readonly stopwatch: Clock
  readonly recorder: Recorder
  readonly version: string
  readonly operatorKey: string | null
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
  hosts,
  meter,
  stopwatch,
  recorder,
  version,
  operatorKey,
  tellVenue,
  venue,
  tls,
  page,
}: Parts): Front {
  const { operator, clock, random, log, cache, limiter } = gateway
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
    clock,
    random,
    log,
    version,
    operatorKey,
    tellVenue,
    explain: venue === 'embedded' ? withPracticeStep : (failure) => failure,
    page: page ? { service: operator.serviceName, venue } : null,
    trusted,
    tls,
    tools: TOOLS,
    server: { name: operator.serviceName, version, instructions },
    site: { hosts, origins },
    inside: async (request) => router.fetch(request),
    onCrash,
  })
  return createFront({
    app: (request) => router.fetch(request),
    hot: hotReads({ cache, limiter }, { ...marks, ...(origins === '*' && EVERYONE_HEADERS) }),
    callers,
    trusted,
    origins,
    meter,
    stopwatch,
    onAnswer: (request, response, tookMs) =>
      recorder.answered(answeredOf(request, response, tookMs)),
    requestId: requestIds(random),
    onCrash,
    marks,
  })
}

/** Ids that no other process gives out, and that cost a counter. */
function requestIds(random: Random): () => string {
  const prefix = toHex(random.bytes(6))
  let count = 0
  return () => {
    count += 1
    return `${prefix}-${count.toString(36)}`
  }
}
