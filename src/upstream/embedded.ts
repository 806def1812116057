import { LIMITS } from '../contract/limits.ts'
import { after } from '../core/loop/guarded.ts'
import { type Upstream, UpstreamError, type UpstreamRequest } from '../core/ports.ts'
import { isJsonType, parseRetryAfter } from './sockets/exchange.ts'

/** The answer of a venue in this process, or the injected fault that ended its connection. */
type Delivery =
  | {
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  | { readonly broken: 'reset' | 'stall' }

/** A venue in this process: handles a wire request and returns its delivery. */
type VenueDoor = (request: {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}) => Promise<Delivery>

/**
 * Gives an embedded venue the interface of a live venue. Without injected faults, the venue is always reachable and
 * never times out. An injected fault has the same effect as a broken or unusable answer of a live venue. Throws
 * UpstreamError.
 */
export function embeddedUpstream(door: VenueDoor): Upstream {
  async function send(request: UpstreamRequest) {
    const { method, path, headers, body } = request
    const asked = door({ method, path, headers, ...(body !== undefined && { body }) })
    const delivery = await withinDeadline(asked, request.deadlineMs)
    if ('broken' in delivery) throw new UpstreamError('reset', true)
    return checkedResponse(delivery)
  }
  return { send }
}

/** The delivery, if it arrives before the deadline. The call to the venue cannot be cancelled, so it continues. */
async function withinDeadline(asked: Promise<Delivery>, deadlineMs: number): Promise<Delivery> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = after('upstream', deadlineMs, () => reject(new UpstreamError('timeout', true)))
  try {
    const delivery = await Promise.race([asked, late])
    return 'broken' in delivery && delivery.broken === 'stall' ? await late : delivery
  } finally {
    clearTimeout(timer)
  }
}

function checkedResponse({
  status,
  headers,
  body,
}: Extract<Delivery, { readonly status: number }>) {
  const contentType = headers['content-type'] ?? 'application/json'
  if (status !== 429 && !isJsonType(contentType)) throw new UpstreamError('content_type', true)
  if (body.length > LIMITS.upstreamBodyMaxBytes) throw new UpstreamError('oversized', true)
  return { status, contentType, body, ...parseRetryAfter(headers['retry-after'] ?? null) }
}
