import { Failure, invalid } from '../core/failure.ts'
import type { Clock, Store } from '../core/ports.ts'
import { unready } from '../gateway/ready.ts'
import type { VenueDeps } from '../gateway/venue-read.ts'
import type { Limiter } from '../limits/limiter.ts'
import { DAY_MS } from '../spec/durations.ts'
import type { PracticeDesk } from '../venue/accounts/practice.ts'
import type { Vouchers } from '../voucher/voucher.ts'
import { type ConsoleParts, createConsole } from './console/console.ts'
import type { Front } from './http/front.ts'
import type { Meter } from './http/meter.ts'
import { failureResponse } from './http/responses.ts'
import { targetOf } from './http/target.ts'
import { answerPractice, isPracticePath } from './practice.ts'

/** What the operator's listener tells of. */
export type OpsParts = {
  readonly deps: VenueDeps & { readonly store: Pick<Store, 'check'> }
  readonly clock: Clock
  readonly limiter: Pick<Limiter, 'size'>
  readonly meter: Meter
  readonly vouchers: Pick<Vouchers, 'figures'>
  readonly startedAtMs: number
  readonly venue: 'embedded' | 'live'
  /** Moves the embedded venue's virtual clock; null where time is real. */
  readonly advance: ((ms: number) => void) | null
  /** Looks the embedded venue's books through; null on a live venue. */
  readonly check: (() => Promise<object>) | null
  /** Settles when the embedded venue's world is at its time. */
  readonly arrived: () => Promise<void>
  readonly version: string
  /** Null on a live venue. */
  readonly practice: PracticeDesk | null
  readonly console: ConsoleParts
}

/** The operator's listener: liveness, readiness, metrics and the console. */
export function createOps(parts: OpsParts): Front {
  const { check } = parts
  const pages: Record<string, () => Response | Promise<Response>> = {
    ...(check && { '/venue/check': async () => json(await check(), 200) }),
    '/healthz': () => json({ ok: true }, 200),
    '/readyz': () => readiness(parts),
    '/metrics': () => text(metrics(parts)),
  }
  const console = createConsole(parts.console)
  return (request) => {
    const [path = '/', search = ''] = targetOf(request.url).split('?')
    if (path === '/venue/advance') return advanced(parts, request, search)
    if (isPracticePath(path)) return practice(parts, request, path, search)
    const open = Object.hasOwn(pages, path) ? pages[path] : undefined
    if (!open) return console(request, path, search)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return failureResponse(new Failure('method_not_allowed', { allow: 'GET, HEAD' }))
    }
    return open()
  }
}

/** Accounts are told, and funded, when their world is at its time. */
async function practice(
  { practice: desk, arrived }: OpsParts,
  request: Request,
  path: string,
  search: string,
): Promise<Response> {
  if (desk) await arrived()
  return answerPractice(desk, request, path, search)
}

const ADVANCE_MAX_MS = 7 * DAY_MS

/** Moves a virtual clock by `?ms=`: for tests that cannot wait. A page in a browser has no business here. */
function advanced({ advance }: OpsParts, request: Request, search: string): Response {
  const ms = new URLSearchParams(search).get('ms') ?? ''
  if (!advance || request.headers.has('origin')) return failureResponse(new Failure('not_found'))
  if (request.method !== 'POST') {
    return failureResponse(new Failure('method_not_allowed', { allow: 'POST' }))
  }
  if (!/^[0-9]{1,9}$/.test(ms) || Number(ms) > ADVANCE_MAX_MS) return failureResponse(invalid('ms'))
  advance(Number(ms))
  return json({ advancedMs: Number(ms) }, 200)
}

const NO_STORE = { 'cache-control': 'no-store' } as const

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

async function readiness(parts: OpsParts): Promise<Response> {
  const missing = await unready(parts.deps)
  const { venue, version } = parts
  return json(
    { ready: missing === null, venue, version, ...(missing && { missing }) },
    missing ? 503 : 200,
  )
}

function figures(parts: OpsParts): Record<string, number> {
  const uptimeSeconds = Math.floor((parts.clock.nowMs() - parts.startedAtMs) / 1000)
  return {
    uptime_seconds: uptimeSeconds,
    resident_memory_bytes: process.memoryUsage.rss(),
    rate_windows: parts.limiter.size(),
  }
}

/** Prometheus text exposition format, version 0.0.4. */
function metrics(parts: OpsParts): string {
  const lines = ['# TYPE prepd_responses_total counter']
  for (const [status, count] of parts.meter.byStatus()) {
    lines.push(`prepd_responses_total{status="${status}"} ${count}`)
  }
  for (const [name, value] of Object.entries(figures(parts))) {
    lines.push(`# TYPE prepd_${name} gauge`, `prepd_${name} ${value}`)
  }
  for (const { name, type, help, samples } of parts.vouchers.figures()) {
    lines.push(`# HELP prepd_${name} ${help}`, `# TYPE prepd_${name} ${type}`)
    for (const { labels, value } of samples) lines.push(`prepd_${name}${labels} ${value}`)
  }
  lines.push(
    '# TYPE prepd_build gauge',
    `prepd_build{version="${parts.version}",venue="${parts.venue}"} 1`,
  )
  return `${lines.join('\n')}\n`
}
