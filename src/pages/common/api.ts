import { type Exact, exactOrNone, memberText, memberValue } from './exact-json.ts'

/** A failure of the server. Without an answer, `status` is 0 and the code `offline`. */
export class ApiFailure extends Error {
  readonly code: string
  readonly status: number
  /** The wrong parameter; empty if the server names no parameter. */
  readonly parameter: string
  /** The reason, from a closed list; empty if the server gives no reason. */
  readonly reason: string
  /** The wait until a retry; null if the server names no wait. */
  readonly retryAfterSeconds: number | null
  constructor(
    code: string,
    status = 0,
    sentence = '',
    parameter = '',
    retry: number | null = null,
    reason = '',
  ) {
    super(sentence)
    this.code = code
    this.status = status
    this.parameter = parameter
    this.retryAfterSeconds = retry
    this.reason = reason
  }
}

type ApiOptions = {
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
  readonly onResponse: (info: ResponseInfo) => void
}

const DEADLINE_MS = 20_000

/** Calls this server, and nothing else. */
export function createApi({ fetch, onResponse }: ApiOptions) {
  async function call(path: string, init: RequestInit): Promise<Exact> {
    const { response, text } = await exchange(path, init)
    onResponse(toResponseInfo(response.headers))
    if (!response.ok) throw toApiFailure(response, text)
    const answer = exactOrNone(text)
    if (answer === undefined) throw new ApiFailure('offline')
    return answer
  }

  async function exchange(path: string, init: RequestInit) {
    try {
      const response = await fetch(path, { ...init, signal: AbortSignal.timeout(DEADLINE_MS) })
      return { response, text: await response.text() }
    } catch {
      throw new ApiFailure('offline')
    }
  }

  // The first read of a path may use an answer that the browser cached with the document; later reads revalidate it.
  const asked = new Set<string>()
  function get(path: string): Promise<Exact> {
    const cache = asked.has(path) ? 'no-cache' : 'default'
    asked.add(path)
    return call(path, { cache })
  }

  return {
    get,
    /** Sends a body once. Throws ApiFailure. */
    post: (path: string, body: string) =>
      call(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
  }
}

/** Rate limit and server time from the headers of an answer. */
export type ResponseInfo = ReturnType<typeof toResponseInfo>

function toResponseInfo(headers: Headers) {
  const [, policy = '', requests, seconds] =
    /^"(\w+)";q=(\d+);w=(\d+)/.exec(headers.get('ratelimit-policy') ?? '') ?? []
  const serverMs = Date.parse(headers.get('date') ?? '')
  return {
    /** The rate policy that refused the request, and its limit; null if the server does not name them. */
    policy,
    perSecond: requests && Number(seconds) > 0 ? Number(requests) / Number(seconds) : null,
    /** The server's time when it made the answer, in whole seconds. A cached answer has an old time. */
    serverMs: Number.isNaN(serverMs) ? null : serverMs,
  }
}

function toApiFailure({ status, headers }: Response, text: string): ApiFailure {
  const body = exactOrNone(text)
  const code = memberText(body, 'code') || (status === 429 ? 'rate_limited' : 'internal')
  // Ignores a date, which proxies may send instead of seconds.
  const retry = /^\d+$/.exec(headers.get('retry-after') ?? '')
  return new ApiFailure(
    code,
    status,
    memberText(body, 'error'),
    memberText(memberValue(body, 'meta'), 'parameter'),
    retry && Number(retry[0]),
    memberText(memberValue(body, 'meta'), 'reason'),
  )
}
