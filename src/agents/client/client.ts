import type { Method } from '../../contract/allowlist.ts'
import { SECOND_MS } from '../../contract/durations.ts'
import { STANDBY, STANDBY_PATH } from '../../contract/standby.ts'
import { signedText } from '../../core/crypto/signed-text.ts'
import { createSigner } from '../../core/crypto/signing.ts'
import { isObject, parsedJson } from '../../core/json.ts'
import { defaultOnFailure, guarded } from '../../core/loop/guarded.ts'

/**
 * Sends a request over the network or to the gateway in this process. Throws ClientFailure for a known cause; any
 * other error means that the service is unreachable.
 */
export type ServiceTransport = (request: Request) => Promise<Response>

/** An account and its trading key. The secret never leaves this process. */
export type Credentials = {
  readonly accountId: string
  readonly key: string
  readonly secret: Uint8Array
}

/** A call to sign for the relay. `body` is sent exactly as given. */
export type CallToSign = { readonly method: Method; readonly path: string; readonly body?: string }

/** The public API. Every call returns the parsed payload or throws ClientFailure. */
export type Client = {
  readonly get: (path: string, query?: Readonly<Record<string, string>>) => Promise<unknown>
  readonly post: (path: string, body: object) => Promise<unknown>
  readonly relay: (credentials: Credentials, call: CallToSign) => Promise<unknown>
  /** Relays a write that is sent only after the account's owner has approved it. */
  readonly approved: (credentials: Credentials, call: CallToSign) => Promise<unknown>
  /**
   * Deposits a signed cancel of all orders, or of one market. The service relays the cancel unless the caller renews it
   * within `afterMs`.
   */
  readonly armStandby: (
    credentials: Credentials,
    standby: { readonly symbol?: string | undefined; readonly afterMs: number },
  ) => Promise<unknown>
  /** The messages of live topics, as the AsyncAPI document describes them. Throws when the signal aborts. */
  readonly listen: (topics: readonly string[], signal: AbortSignal) => AsyncGenerator<unknown>
}

/** The service's failure, or `upstream_unavailable` when the service is unreachable. */
export class ClientFailure extends Error {
  override readonly name = 'ClientFailure'
  readonly code: string
  readonly status: number
  readonly meta: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds: number | undefined
  constructor(parts: {
    readonly code: string
    readonly error: string
    readonly status: number
    readonly meta?: Readonly<Record<string, unknown>>
    readonly retryAfterSeconds?: number
  }) {
    super(parts.error)
    this.code = parts.code
    this.status = parts.status
    this.meta = parts.meta ?? {}
    this.retryAfterSeconds = parts.retryAfterSeconds
  }
}

/** Number of cancels that a client signs at once; together they are valid for about twelve minutes. */
const STANDBY_TIMES = 3

/** Interval between the timestamps of a standby's cancels: ten seconds below the service's maximum. */
const STANDBY_INTERVAL_MS = STANDBY.renewWithinMs - 10 * SECOND_MS

type ClientOptions = {
  readonly baseUrl: string
  readonly transport: ServiceTransport
  readonly nowMs: () => number
  /** The name of the calling program; null if unknown. */
  readonly program?: () => string | null
}

/** A client of the service at `baseUrl` (no trailing slash). */
export function createClient({ baseUrl, transport, nowMs, program }: ClientOptions): Client {
  const signers = new WeakMap<Uint8Array, ReturnType<typeof createSigner>>()
  let signedAtMs = 0

  // Each call gets its own millisecond: the relay would treat two equal calls with one timestamp as a single write.
  function nextMs(): number {
    signedAtMs = Math.max(nowMs(), signedAtMs + 1)
    return signedAtMs
  }

  /** Signs a call as an envelope for the relay. Source: the specification, "Signing a relay request". */
  function signEnvelope({ accountId, key, secret }: Credentials, call: CallToSign, atMs: number) {
    const sign = signers.get(secret) ?? createSigner(secret)
    signers.set(secret, sign)
    const timestamp = String(atMs)
    const signature = sign(signedText({ ...call, timestamp }))
    return { ...call, auth: { accountId, key, signature, timestamp } }
  }

  async function send(path: string, init: RequestInit): Promise<unknown> {
    const response = await sendToService(transport, new Request(baseUrl + path, init))
    return readServicePayload(response, path.startsWith('/api/swap/') ? 'swaps' : 'venue')
  }
  function post(path: string, body: object): Promise<unknown> {
    const name = program?.() ?? null
    const headers = {
      'content-type': 'application/json',
      ...(name !== null && { 'user-agent': name }),
    }
    return send(path, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  return {
    get: (path, query = {}) => send(path + searchText(query), { method: 'GET' }),
    post,
    listen: (topics, signal) => listen({ baseUrl, transport }, topics, signal),
    relay: (credentials, call) =>
      post('/api/prep/relay', signEnvelope(credentials, call, nextMs())),
    approved: (credentials, call) =>
      post('/api/prep/relay/approved', signEnvelope(credentials, call, nextMs())),
    armStandby: (credentials, { symbol, afterMs }) => {
      const path = `/v1/orders${searchText(symbol === undefined ? {} : { symbol })}`
      const signedMs = nextMs()
      const envelopes = Array.from({ length: STANDBY_TIMES }, (_, at) =>
        signEnvelope(credentials, { method: 'DELETE', path }, signedMs + at * STANDBY_INTERVAL_MS),
      )
      return post(STANDBY_PATH, { envelopes, afterMs })
    },
  }
}

async function* listen(
  { baseUrl, transport }: Pick<ClientOptions, 'baseUrl' | 'transport'>,
  topics: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<unknown> {
  const url = `${baseUrl}/api/prep/stream?topics=${topics.join(',')}`
  const request = new Request(url, { headers: { accept: EVENT_STREAM }, signal })
  const response = await sendToService(transport, request)
  const { body } = response
  if (!response.ok || !body) {
    await readServicePayload(response, 'venue')
    return
  }
  const reader = body.getReader()
  const stop = guarded('client', () =>
    reader.cancel().catch(defaultOnFailure('client', undefined, Error)),
  )
  signal.addEventListener('abort', stop)
  try {
    yield* readEvents(reader)
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

function searchText(query: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(query).toString()
  return search && `?${search}`
}

async function sendToService(transport: ServiceTransport, request: Request): Promise<Response> {
  try {
    return await transport(request)
  } catch (error) {
    if (error instanceof ClientFailure) throw error
    throw new ClientFailure({
      code: 'upstream_unavailable',
      error: 'The service cannot be reached.',
      status: 502,
      meta: { unreachable: 'service' },
    })
  }
}

/** The part that is unreachable: the service, or the venue or swap provider behind it. */
type Unreachable = 'service' | 'venue' | 'swaps'

const UNANSWERED_CODES: ReadonlySet<unknown> = new Set(['upstream_unavailable', 'upstream_timeout'])

// If the service has stopped, a proxy in front of the service answers with a page and a status from 502 to 504.
function toUnreachable(payload: unknown, status: number, behind: Unreachable): Unreachable | null {
  if (!isObject(payload)) return status >= 502 && status <= 504 ? 'service' : null
  return UNANSWERED_CODES.has(payload['code']) ? behind : null
}

async function readServicePayload(response: Response, behind: Unreachable): Promise<unknown> {
  const payload = parsedJson(await response.text()) ?? null
  if (response.ok) return payload
  const failure = isObject(payload) ? payload : {}
  const unreachable = toUnreachable(payload, response.status, behind)
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  throw new ClientFailure({
    code: typeof failure['code'] === 'string' ? failure['code'] : 'internal',
    error: typeof failure['error'] === 'string' ? failure['error'] : `HTTP ${response.status}`,
    status: response.status,
    meta: {
      ...(isObject(failure['meta']) && failure['meta']),
      ...(unreachable && { unreachable }),
    },
    ...(Number.isFinite(retryAfter) && { retryAfterSeconds: retryAfter }),
  })
}

export const EVENT_STREAM = 'text/event-stream'

/** A reader of a body's chunks. */
type Chunks = {
  readonly read: () => Promise<{ readonly done: boolean; readonly value?: Uint8Array }>
}

/** Parses an event stream (WHATWG HTML, 9.2.6) and yields each event's JSON. The service sends one `data:` line per event. */
async function* readEvents(chunks: Chunks): AsyncGenerator<unknown> {
  const decoder = new TextDecoder()
  let text = ''
  for (let { done, value } = await chunks.read(); !done; { done, value } = await chunks.read()) {
    text += decoder.decode(value, { stream: true })
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith(DATA_PREFIX))
      if (data !== undefined) yield JSON.parse(data.slice(DATA_PREFIX.length))
    }
  }
}

const DATA_PREFIX = 'data: '
