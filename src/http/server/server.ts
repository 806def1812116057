import { guarded } from '../../core/loop/guarded.ts'
import type { Front } from './front.ts'
import { requestTarget } from './request.ts'
import type { SocketSink, Sockets } from './sockets.ts'

export type Listen = {
  readonly hostname: string
  readonly port: number
  /** Certificate and key in PEM; absent for plain HTTP. */
  readonly tls?: Tls | undefined
}

export type Tls = {
  readonly cert: string
  readonly key: string
  /** The time at which the certificate expires. */
  readonly endMs: number
}

/** An open listener. `stop` refuses new connections and resolves when the requests in progress are answered. */
export type Listener = {
  readonly url: string
  readonly port: number
  readonly stop: () => Promise<void>
  /** From now on each answer closes its connection, so that proxies stop using it. Requests are still answered. */
  readonly endConnections: () => void
}

const IDLE_SECONDS = 75

/**
 * Idle timeout in seconds of a connection that was answered before its body was read. The runtime checks every 4
 * seconds, so the connection ends after 4 to 8 idle seconds. A timeout of 4 could end the connection just before the
 * caller's next request.
 */
const UNREAD_SECONDS = 8

const STOP_LOOK_MS = 50

// The routes refuse large bodies with a failure. The runtime's own refusal has no body, so its limit is out of reach.
const BODY_MAX_BYTES = 2 ** 40

// The runtime requires a handler even without WebSockets.
const NO_SOCKETS = { message: guarded('http', () => undefined) }

type Options = {
  /** Receives errors that a front throws. */
  readonly onCrash: (error: unknown) => void
  /** The existing paths under `/api/admin/`. Any other spelling of these paths is answered as unknown. */
  readonly operatorPaths?: readonly string[]
  /** Fronts of paths that the runtime itself routes. */
  readonly direct?: ReadonlyMap<string, Front>
  /** Handles WebSockets; absent on a listener without them. */
  readonly sockets?: Sockets
}

/** Opens a listener. Throws if the address is in use. */
export function listen(
  { hostname, port, tls }: Listen,
  front: Front,
  { onCrash, operatorPaths = [], direct = new Map(), sockets }: Options,
): Listener {
  let isDraining = false
  const answer = (request: Request, reached = request) =>
    bounded(request, closing(request, front(reached, peerAddress(request)), isDraining))
  const directly = (own: Front) => (request: Request) =>
    bounded(request, closing(request, own(request, peerAddress(request)), isDraining))
  const server = Bun.serve<SocketSink>({
    hostname,
    port,
    ...(tls && { tls: { cert: tls.cert, key: tls.key } }),
    // With `true`, a second process could share the port, which would silently double every rate limit.
    reusePort: false,
    development: false,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: BODY_MAX_BYTES,
    // These routes match the path as it was sent. The URL of a request already has its dot segments resolved.
    routes: {
      ...Object.fromEntries(
        operatorPaths.map((path) => [path, (request: Request) => answer(request)]),
      ),
      ...Object.fromEntries(Array.from(direct, ([path, own]) => [path, { GET: directly(own) }])),
    },
    fetch: (request) =>
      answer(request, isOperatorRequest(request) ? unknownPath(request) : request),
    error: (error) => {
      onCrash(error)
      return new Response(null, { status: 500 })
    },
    websocket: sockets?.handlers ?? NO_SOCKETS,
  })
  function peerAddress(request: Request): string {
    return server.requestIP(request)?.address ?? ''
  }
  /** The same answer. If the body was not read, the connection gets a short idle timeout. */
  function bounded(request: Request, answer: Response | Promise<Response>) {
    if (!carriesBody(request)) return answer
    const bound = (response: Response) => {
      if (!request.bodyUsed) server.timeout(request, UNREAD_SECONDS)
      return response
    }
    return answer instanceof Response ? bound(answer) : answer.then(bound)
  }
  sockets?.bind(server)
  const bound = server.port ?? port
  return {
    url: listenUrl(hostname, bound, tls),
    port: bound,
    stop: () => stop(server),
    endConnections: () => {
      isDraining = true
    },
  }
}

/** Whether a body follows the headers. A GET may have one too; it is never read. */
function carriesBody({ headers }: Request): boolean {
  return Number(headers.get('content-length')) > 0 || headers.has('transfer-encoding')
}

// Stops the server. Bun's own stop also waits for peers that were answered before their body was read.
async function stop(server: Bun.Server<SocketSink>): Promise<void> {
  const stopped = server.stop().then(() => true)
  while (!(await Promise.race([stopped, Bun.sleep(STOP_LOOK_MS)])))
    if (server.pendingRequests + server.pendingWebSockets === 0) return server.stop(true)
}

const OPERATOR_PREFIX = '/api/admin'

function isOperatorRequest({ url }: Request): boolean {
  return requestTarget(url).startsWith(OPERATOR_PREFIX)
}

/** The same request with a path that does not exist. */
function unknownPath({ method, headers }: Request): Request {
  return new Request(`http://localhost${OPERATOR_PREFIX}`, { method, headers })
}

// Adds `connection: close` while the server drains, and for a caller that asks to close the connection (RFC 9112, 9.6).
// Without the header, a proxy that keeps connections would send its next request into the closing connection.
function closing(request: Request, answer: Response | Promise<Response>, isDraining: boolean) {
  if (!isDraining && !endsConnection(request.headers.get('connection'))) return answer
  return answer instanceof Response ? closed(answer) : answer.then(closed)
}

function endsConnection(header: string | null): boolean {
  return header?.split(',').some((option) => option.trim().toLowerCase() === 'close') ?? false
}

function closed(response: Response): Response {
  response.headers.set('connection', 'close')
  return response
}

function listenUrl(hostname: string, port: number, tls: Tls | undefined): string {
  return `${tls ? 'https' : 'http'}://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`
}
