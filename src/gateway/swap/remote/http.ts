import { SWAP_LIMITS } from '../../../contract/swap.ts'
import { Failure } from '../../../core/failure.ts'
import { parsedJson } from '../../../core/json.ts'
import { createLanes } from '../../../core/loop/lanes.ts'
import { currentRequest } from '../../../core/observing/request-context.ts'
import { type Clock, UpstreamError } from '../../../core/ports.ts'
import { openFetchSession } from '../../../upstream/fetch-session.ts'
import { readText } from '../../../upstream/http-body.ts'
import { exchangeFault } from '../../../upstream/sockets/exchange.ts'
import { failureOfUpstreamError } from '../../../upstream/wire/failures.ts'
import { createQuota, type QuotaReport } from './quota.ts'

export type SwapCall = {
  /** Path and query, appended to the base URL. */
  readonly path: string
  /** Which of the provider’s quotas the call counts against. */
  readonly quota: 'quote' | 'other'
  readonly deadlineMs: number
  readonly bodyMaxBytes: number
}

/** A parsed answer of the provider; `body` is undefined if it is not JSON. */
export type SwapReply = {
  readonly status: number
  readonly body: unknown
  readonly retryAfterSeconds: number | null
}

export type SwapHttp = (call: SwapCall) => Promise<SwapReply>

type SwapHttpOptions = {
  readonly base: URL
  readonly headers: Readonly<Record<string, string>>
  readonly clock: Clock
}

const OWN_HEADERS = {
  'user-agent': 'prepd',
  accept: 'application/json',
  'accept-encoding': 'gzip',
} as const

/**
 * Sends GET requests to a swap provider, within its quotas. Does not follow redirects. Repeats a call once after status
 * 500, 502 or 503; both attempts share one deadline. Throws Failure: upstream_busy, upstream_timeout,
 * upstream_unavailable.
 */
export function swapHttp({ base, headers, clock }: SwapHttpOptions): SwapHttp {
  const session = openFetchSession(base)
  const quotas = { quote: createQuota(clock), other: createQuota(clock) }
  const widths = {
    concurrentMax: SWAP_LIMITS.concurrentMax,
    writeReserved: 0,
    queuedMax: { read: SWAP_LIMITS.queuedMax, write: 0 },
    elapsedMs: clock.nowMs,
  }
  const lanes = createLanes('upstream', widths, () => new UpstreamError('saturated', false))
  const init: RequestInit = { headers: { ...OWN_HEADERS, ...headers }, redirect: 'manual' }

  async function once(call: SwapCall, signal: AbortSignal): Promise<SwapReply> {
    const settle = quotas[call.quota].take()
    let report: QuotaReport | undefined
    try {
      const response = await session.fetch(base.origin + call.path, {
        ...init,
        decompress: false,
        signal,
      })
      report = toQuotaReport(response)
      return await acceptResponse(response, report, call.bodyMaxBytes)
    } finally {
      settle(report)
    }
  }

  async function send(call: SwapCall, signal: AbortSignal): Promise<SwapReply> {
    const leave = await lanes.enter(
      { queue: 'read', owner: currentRequest()?.limitKey },
      call.deadlineMs,
    )
    try {
      const reply = await once(call, signal)
      if (!RETRIED_STATUSES.has(reply.status)) return reply
      await Bun.sleep(SWAP_LIMITS.retryPauseMs)
      return await once(call, signal)
    } finally {
      leave()
    }
  }

  return async (call) => {
    try {
      return await send(call, AbortSignal.timeout(call.deadlineMs))
    } catch (error) {
      // A used-up quota is already a Failure; other errors are transport errors.
      if (error instanceof Failure) throw error
      throw failureOfUpstreamError(exchangeFault(error), 'read')
    }
  }
}

const RETRIED_STATUSES: ReadonlySet<number> = new Set([500, 502, 503])

async function acceptResponse(
  response: Response,
  { resetSeconds }: QuotaReport,
  bodyMaxBytes: number,
): Promise<SwapReply> {
  const { status } = response
  if (status >= 300 && status < 400) {
    await response.body?.cancel()
    throw new UpstreamError('redirect', true)
  }
  const body = parsedJson(await readText(response, { maxBytes: bodyMaxBytes }))
  return { status, body, retryAfterSeconds: resetSeconds }
}

function toQuotaReport({ status, headers }: Response): QuotaReport {
  return {
    refused: status === 429,
    remaining: parseCount(headers.get('ratelimit-remaining')),
    resetSeconds:
      parseCount(headers.get('ratelimit-reset')) ?? parseCount(headers.get('retry-after')),
  }
}

function parseCount(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null
}
