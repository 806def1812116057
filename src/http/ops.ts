import { TOOLS } from '../agents/tools/tools.ts'
import { ADVANCE_PATH } from '../contract/venue/advance.ts'
import type { VenueKind } from '../contract/venue/kind.ts'
import type { AdvanceClock } from '../core/advance.ts'
import type { EngineHealth } from '../core/engines/health.ts'
import { Failure } from '../core/failure.ts'
import { defaultOnFailure } from '../core/loop/guarded.ts'
import type { Meter } from '../core/observing/meter.ts'
import type { Store } from '../core/ports.ts'
import { NO_STORE } from '../gateway/cache/answer.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { findMissingPart } from '../gateway/ready.ts'
import type { VenueAccess } from '../gateway/venue/read.ts'
import type { Vouchers } from '../gateway/voucher/voucher.ts'
import type { Judge } from '../operator/notify/judge.ts'
import { answerAdvance } from './advance.ts'
import { type ConsoleOptions, createConsole } from './console/console.ts'
import { type ActRouteOptions, answerOpsAct, isActPath } from './operator/acts.ts'
import { answerPractice, isPracticePath, type PracticePort } from './practice.ts'
import type { Front } from './server/front.ts'
import { assertOperatorHost, assertOwnOrigin } from './server/origin.ts'
import { requestTarget } from './server/request.ts'
import { failureResponse } from './server/responses.ts'

/** The parts of the operator's listener. */
export type OpsRouteOptions = {
  readonly deps: VenueAccess &
    Pick<Gateway, 'scrub' | 'clock' | 'verifier' | 'controls'> & {
      readonly store: Pick<Store, 'check'>
    }
  /** Whether this process is stopping. It keeps answering until its proxies have switched to another instance. */
  readonly isStopping: () => boolean
  readonly judge: Pick<Judge, 'look'>
  readonly meter: Meter
  /** The shared engines; empty if a single instance runs without them. */
  readonly engines: readonly EngineHealth[]
  readonly vouchers: Pick<Vouchers, 'figures'>
  readonly venue: VenueKind
  /** Moves the embedded venue's virtual clock; null if the venue runs in real time. */
  readonly advance: AdvanceClock | null
  /** The public API. The signed calls of an advance go through it. */
  readonly front: Front
  /** Checks the embedded venue's accounting; null on a live venue. */
  readonly check: (() => Promise<object>) | null
  /** The state of the embedded venue's price file; null without a price file. */
  readonly stillPrices: () => Promise<object | null>
  readonly version: string
  /** Access to practice accounts; null on a live venue. */
  readonly practice: PracticePort | null
  readonly console: ConsoleOptions
  /** The operator's actions; null if no operator key is set. */
  readonly acts: ActRouteOptions | null
  /**
   * Host names that the listener accepts in addition to addresses and loopback names: lower case, without ports, IPv6
   * in brackets.
   */
  readonly hosts: readonly string[]
}

/** The operator's listener: liveness, readiness, metrics and the console. */
export function createOps(parts: OpsRouteOptions): Front {
  const { check, meter } = parts
  startToolSeries(meter)
  const pages: Record<string, () => Response | Promise<Response>> = {
    ...(check && { '/venue/check': async () => json(await check(), 200) }),
    '/healthz': () => json({ ok: true }, 200),
    '/readyz': () => readiness(parts),
    '/metrics': async () => text(await metrics(parts)),
  }
  const console = createConsole(parts.console)
  return (request, peer) => {
    const refused = foreignRefusal(request, parts.hosts)
    if (refused) return refused
    const [path = '/', search = ''] = requestTarget(request.url).split('?')
    if (path === ADVANCE_PATH) return answerAdvance(parts, request, peer, search)
    if (isActPath(path)) return answerOpsAct(parts.acts, request, path)
    if (isPracticePath(path)) return answerPractice(parts.practice, request, path, search)
    const open = Object.hasOwn(pages, path) ? pages[path] : undefined
    return open ? looked(request, open) : console(request, path, search)
  }
}

/** The refusal of a foreign Host, or of an action that a page of another origin requests; otherwise null. */
function foreignRefusal(request: Request, hosts: readonly string[]): Response | null {
  try {
    assertOperatorHost(request, hosts)
    if (!isRead(request)) assertOwnOrigin(request)
    return null
  } catch (error) {
    return failureResponse(error)
  }
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}

function looked(
  request: Request,
  open: () => Response | Promise<Response>,
): Response | Promise<Response> {
  if (isRead(request)) return open()
  return failureResponse(new Failure('method_not_allowed', { allow: 'GET, HEAD' }))
}

function json(value: object, status: number): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json', ...NO_STORE },
  })
}

function text(body: string): Response {
  return new Response(body, {
    headers: { 'content-type': 'text/plain; version=0.0.4', ...NO_STORE },
  })
}

async function readiness(parts: OpsRouteOptions): Promise<Response> {
  const missing = parts.isStopping() ? 'stopping' : await findMissingPart(parts.deps)
  const { venue, version } = parts
  const prices = await parts.stillPrices()
  return json(
    {
      ready: missing === null,
      venue,
      version,
      ...(prices && { prices }),
      ...(missing && { missing }),
      ...degradation(parts, missing),
    },
    missing ? 503 : 200,
  )
}

/** Names and reasons of unavailable engines and of conditions that degrade the service. */
function degradation({ engines, judge, deps }: OpsRouteOptions, missing: string | null) {
  const away = engines.filter(({ isUp }) => !isUp())
  const held = judge.look(deps.clock.nowMs(), missing).flatMap(degradedBy)
  const degraded = [...away.map(({ name }) => ({ name, reason: null })), ...held]
  const explained = [...engines.map(({ name, reason }) => ({ name, reason: reason() })), ...held]
  const reasons = explained.flatMap(({ name, reason }) => (reason === null ? [] : [[name, reason]]))
  return {
    ...((engines.length > 0 || degraded.length > 0) && {
      degraded: degraded.map(({ name }) => name),
    }),
    ...(reasons.length > 0 && { reasons: Object.fromEntries(reasons) }),
  }
}

/** The name and reason of a condition that holds and that /readyz lists; otherwise empty. */
function degradedBy({ condition, holds, figure }: ReturnType<Judge['look']>[number]) {
  const { degrades: name, title, action } = condition
  return name && holds ? [{ name, reason: figure || `${title} ${action}` }] : []
}

/** Creates each tool's call counter with the value 0, so that a monitor sees the first call as an increase. */
function startToolSeries(meter: Meter): void {
  for (const { name } of TOOLS)
    for (const code of ['ok', 'internal']) meter.counter('prepd_mcp_calls_total', name, code)
}

/** All metrics in the Prometheus text format, version 0.0.4. */
async function metrics({ meter, vouchers }: OpsRouteOptions): Promise<string> {
  // If the voucher figures cannot be read, the other metrics are still served.
  const figures = await vouchers.figures().catch(defaultOnFailure('store', [], Failure))
  const lines = figures.flatMap(({ name, type, help, samples }) => [
    `# HELP prepd_${name} ${help}`,
    `# TYPE prepd_${name} ${type}`,
    ...samples.map(({ labels, value }) => `prepd_${name}${labels} ${value}`),
  ])
  return meter.text() + lines.map((line) => `${line}\n`).join('')
}
