import { Failure, invalid } from '../core/failure.ts'
import type { Meter } from '../core/observing/meter.ts'
import type { Clock, Store } from '../core/ports.ts'
import { unready } from '../gateway/ready.ts'
import type { VenueDeps } from '../gateway/venue-read.ts'
import { DAY_MS } from '../spec/durations.ts'
import type { Vouchers } from '../voucher/voucher.ts'
import type { Front } from './http/front.ts'
import { failureResponse } from './http/responses.ts'
import { targetOf } from './http/target.ts'

/** What the operator's listener tells of. */
export type OpsParts = {
  readonly deps: VenueDeps & { readonly store: Pick<Store, 'check'> }
  readonly clock: Clock
  readonly meter: Meter
  readonly vouchers: Pick<Vouchers, 'figures'>
  readonly startedAtMs: number
  readonly venue: 'embedded' | 'live'
  /** Moves the embedded venue's virtual clock; null where time is real. */
  readonly advance: ((ms: number) => void) | null
  readonly version: string
}

/** The operator's listener: liveness, readiness, metrics and a page that shows them. */
export function createOps(parts: OpsParts): Front {
  const pages: Record<string, () => Response | Promise<Response>> = {
    '/healthz': () => json({ ok: true }, 200),
    '/readyz': () => readiness(parts),
    '/metrics': () => text(metrics(parts)),
    '/': () => html(consolePage(parts)),
  }
  return (request) => {
    const [path = '/', search = ''] = targetOf(request.url).split('?')
    if (path === '/venue/advance') return advanced(parts, request, search)
    const open = Object.hasOwn(pages, path) ? pages[path] : undefined
    if (!open) return failureResponse(new Failure('not_found'))
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return failureResponse(new Failure('method_not_allowed', { allow: 'GET, HEAD' }))
    }
    return open()
  }
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

function html(body: string): Response {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
  return new Response(body, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      ...NO_STORE,
    },
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

/** Prometheus text exposition format, version 0.0.4: what is metered, and what the voucher desk watches of itself. */
function metrics({ meter, vouchers }: OpsParts): string {
  const lines = vouchers
    .figures()
    .flatMap(({ name, type, help, samples }) => [
      `# HELP prepd_${name} ${help}`,
      `# TYPE prepd_${name} ${type}`,
      ...samples.map(({ labels, value }) => `prepd_${name}${labels} ${value}`),
    ])
  return meter.text() + lines.map((line) => `${line}\n`).join('')
}

/** The few figures that are worth a look without a dashboard. */
const SHOWN = ['prepd_rate_windows', 'process_resident_memory_bytes', 'process_open_fds'] as const

function consoleRows({ meter, clock, startedAtMs }: OpsParts): (readonly [string, number])[] {
  const byStatus = new Map<string, number>()
  for (const { labels, value } of meter.samples('prepd_requests_total')) {
    const status = labels.at(-1) ?? ''
    byStatus.set(status, (byStatus.get(status) ?? 0) + value)
  }
  return [
    ...[...byStatus].sort().map(([status, count]) => [`responses ${status}`, count] as const),
    ['uptime seconds', Math.floor((clock.nowMs() - startedAtMs) / 1000)],
    ...SHOWN.flatMap((name) => meter.samples(name).map(({ value }) => [name, value] as const)),
  ]
}

function consolePage(parts: OpsParts): string {
  const table = consoleRows(parts)
    .map(([name, value]) => `<tr><th>${name}</th><td>${value}</td></tr>`)
    .join('')
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="5"><title>prepd</title>
<style>body{font:15px/1.5 system-ui;margin:2rem}th{text-align:left;padding-right:2rem;font-weight:500}td{text-align:right;font-variant-numeric:tabular-nums}</style>
<h1>prepd ${parts.version}</h1><p>Venue: ${parts.venue}. See <a href="/readyz">readiness</a> and <a href="/metrics">metrics</a>.</p><table>${table}</table></html>
`
}
