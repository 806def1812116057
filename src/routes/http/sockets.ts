import type { Server, ServerWebSocket, WebSocketHandler } from 'bun'
import type { Frame } from '../../scrub/frame.ts'
import type { Connection } from '../../stream/connection.ts'
import type { Outlet } from '../../stream/outlet.ts'
import type { Stream } from '../../stream/stream.ts'

/** What the listener's sockets hold: who takes them in, for whom, and the connection once they are open. */
export type Held = {
  readonly stream: Stream
  readonly limitKey: string
  connection: Connection | null
}

/** The listener, as live data needs it. Before one is bound there are no sockets. */
export type Sockets = {
  /** For the listener. */
  readonly handlers: WebSocketHandler<Held>
  readonly bind: (server: Server<Held>) => void
  /** Turns a request into a socket; false when it cannot be one. */
  readonly upgrade: (request: Request, held: Held) => boolean
  /** Lets a request's answer take as long as it takes. */
  readonly keepOpen: (request: Request) => void
  /** Sends to every socket that has joined a group. */
  readonly publish: (group: string, frame: Frame) => void
}

/** A client's message up to here is answered in words; a longer one ends the connection. */
const PAYLOAD_MAX_BYTES = 64 * 1024

/** Larger than what a beat adds to a socket that is about to be found behind; beyond it messages would vanish unseen. */
const BACKPRESSURE_BYTES = 64 * 1024 * 1024

/** The sockets of one listener. */
export function createSockets(): Sockets {
  let bound: Server<Held> | null = null
  return {
    handlers: {
      maxPayloadLength: PAYLOAD_MAX_BYTES,
      backpressureLimit: BACKPRESSURE_BYTES,
      // The runtime's own idea of idleness does not count what is being sent; the hub counts pongs.
      idleTimeout: 0,
      sendPings: false,
      perMessageDeflate: false,
      open: (socket) => {
        const { stream, limitKey } = socket.data
        socket.data.connection = stream.converse(new SocketOutlet(socket), limitKey)
      },
      message: ({ data: { stream, connection } }, message) => {
        if (connection) stream.receive(connection, String(message))
      },
      pong: ({ data: { stream, connection } }) => {
        if (connection) stream.alive(connection)
      },
      close: ({ data: { stream, connection } }) => {
        if (connection) stream.gone(connection)
      },
    },
    bind: (server) => {
      bound = server
    },
    upgrade: (request, data) => bound?.upgrade(request, { data }) ?? false,
    keepOpen: (request) => bound?.timeout(request, 0),
    publish: (group, { text }) => bound?.publish(group, text),
  }
}

class SocketOutlet implements Outlet {
  readonly transport = 'socket'
  readonly #socket: ServerWebSocket<Held>

  constructor(socket: ServerWebSocket<Held>) {
    this.#socket = socket
  }

  send(frame: Frame): void {
    this.#socket.sendText(frame.text)
  }

  deliver(frames: readonly Frame[]): void {
    for (const frame of frames) this.send(frame)
  }

  join(group: string): void {
    this.#socket.subscribe(group)
  }

  leave(group: string): void {
    this.#socket.unsubscribe(group)
  }

  bufferedBytes(): number {
    return this.#socket.getBufferedAmount()
  }

  beat(): boolean {
    this.#socket.ping()
    return true
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
  }
}
