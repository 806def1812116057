import type { Clock } from '../../core/ports.ts'
import type { LiveVenue } from '../live/live.ts'
import { WIRE_LIMITS } from './limits.ts'
import type { VenueAnswer } from './message.ts'
import { openTalk, placeOf, type SocketPlace, type SocketTalk } from './sockets.ts'

type Wire = {
  readonly answer: VenueAnswer
  readonly live: LiveVenue
  readonly clock: Clock
}

type Held = { readonly place: SocketPlace; talk: SocketTalk | null }

/** The venue's wire on a port of its own, for other programs: requests and sockets. Answers the port and how to stop. */
export function listenVenue(
  { host, port }: { readonly host: string; readonly port: number },
  { answer, live, clock }: Wire,
) {
  const server = Bun.serve<Held>({
    hostname: host,
    port,
    reusePort: false,
    development: false,
    maxRequestBodySize: WIRE_LIMITS.bodyMaxBytes,
    fetch: async (request, self) => {
      const path = request.url.slice(request.url.indexOf('/', 'http://'.length))
      const place = placeOf(path)
      if (place && self.pendingWebSockets >= WIRE_LIMITS.socketsMax) return tooMany()
      if (place && self.upgrade(request, { data: { place, talk: null } })) return undefined
      // Who waits for a world that is days behind is not idle.
      self.timeout(request, 0)
      const body = await request.text()
      const response = await answer({
        method: request.method,
        path,
        headers: Object.fromEntries(request.headers),
        peer: self.requestIP(request)?.address,
        ...(body && { body }),
      })
      return new Response(response.body, { status: response.status, headers: response.headers })
    },
    websocket: {
      maxPayloadLength: WIRE_LIMITS.socketMessageMaxBytes,
      backpressureLimit: WIRE_LIMITS.socketUnreadMaxBytes,
      closeOnBackpressureLimit: true,
      open: (socket) => {
        socket.data.talk = openTalk({
          live,
          clock,
          place: socket.data.place,
          send: (text) => socket.send(text),
          close: () => socket.close(),
        })
      },
      message: (socket, text) => socket.data.talk?.receive(String(text)),
      close: (socket) => socket.data.talk?.gone(),
    },
  })
  return { port: server.port ?? port, stop: () => server.stop(true) }
}

function tooMany(): Response {
  return new Response(null, { status: 503 })
}
