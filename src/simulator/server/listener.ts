import { guarded } from '../../core/loop/guarded.ts'
import { markInUse } from '../../core/loop/idle-timers.ts'
import type { Clock } from '../../core/ports.ts'
import type { VenueDelivery, VenueEndpoint } from '../messages/message.ts'
import type { LiveVenue } from '../stream/live.ts'
import {
  isStreamPath,
  openSession,
  type SocketSession,
  type SocketTarget,
  toSocketTarget,
  WIRE_LIMITS,
} from './sockets.ts'

type Wire = {
  readonly answer: VenueEndpoint
  readonly live: LiveVenue
  readonly clock: Clock
}

type Held = { readonly place: SocketTarget; talk: SocketSession | null }

/** Idle timeout in seconds, as long as the longest delay that a fault can cause. */
const IDLE_SECONDS = 255

/** Serves requests and sockets to other programs. Returns the port, and a function that stops the server. */
export function listenVenue(
  { host, port }: { readonly host: string; readonly port: number },
  { answer, live, clock }: Wire,
) {
  const server = Bun.serve<Held>({
    hostname: host,
    port,
    reusePort: false,
    development: false,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: WIRE_LIMITS.bodyMaxBytes,
    fetch: async (request, self) => {
      markInUse()
      const path = request.url.slice(request.url.indexOf('/', 'http://'.length))
      const place = toSocketTarget(path)
      if (place && self.pendingWebSockets >= WIRE_LIMITS.socketsMax) return tooMany()
      if (place && self.upgrade(request, { data: { place, talk: null } })) return undefined
      if (place === null && isStreamPath(path)) return new Response(null, { status: 404 })
      // A caller that waits for a long catch-up is not idle.
      self.timeout(request, 0)
      const body = await request.text()
      const delivery = await answer({
        method: request.method,
        path,
        headers: Object.fromEntries(request.headers),
        peer: self.requestIP(request)?.address,
        ...(body && { body }),
      })
      return deliveryResponse(delivery)
    },
    websocket: {
      maxPayloadLength: WIRE_LIMITS.socketMessageMaxBytes,
      backpressureLimit: WIRE_LIMITS.socketUnreadMaxBytes,
      closeOnBackpressureLimit: true,
      open: guarded('venue', (socket) => {
        socket.data.talk = openSession({
          live,
          clock,
          place: socket.data.place,
          send: (text) => socket.send(text),
          close: () => socket.close(),
        })
      }),
      message: guarded(
        'venue',
        (socket, text) => socket.data.talk?.receive(String(text)),
        (_error, socket) => socket.close(),
      ),
      close: guarded('venue', (socket) => socket.data.talk?.gone()),
    },
  })
  return { port: server.port ?? port, stop: () => server.stop(true) }
}

function deliveryResponse(delivery: VenueDelivery): Response | Promise<Response> {
  if (!('broken' in delivery)) {
    const { status, headers, body } = delivery
    return new Response(body, { status, headers })
  }
  return delivery.broken === 'reset' ? new Response(broken()) : new Promise(() => undefined)
}

/** A body that fails before its first byte, so that the connection ends without an answer. */
function broken(): ReadableStream {
  return new ReadableStream({ pull: (controller) => controller.error() })
}

function tooMany(): Response {
  return new Response(null, { status: 503 })
}
