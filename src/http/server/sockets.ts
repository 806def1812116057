import type { Server, ServerWebSocket, WebSocketHandler } from 'bun'
import { guarded } from '../../core/loop/guarded.ts'
import type { Clock } from '../../core/ports.ts'
import type { Frame } from '../../gateway/scrub/frame.ts'
import type { CallerConnection } from '../../live/connection.ts'
import type { ConnectionSink } from '../../live/sink.ts'
import type { LiveStream } from '../../live/stream.ts'
import { type Compression, createCompression } from './compression.ts'

/** The stream that receives a socket's messages, and the key of the socket's caller in the rate windows. */
export type SocketOwner = { readonly stream: LiveStream; readonly limitKey: string }

/** The listener's WebSocket functions. No socket can exist before a listener is bound. */
export type Sockets = {
  /** The handlers that the listener passes to the runtime. */
  readonly handlers: WebSocketHandler<SocketSink>
  readonly bind: (server: Server<SocketSink>) => void
  /** Upgrades a request to a WebSocket. Returns false if that is impossible. */
  readonly upgrade: (request: Request, owner: SocketOwner) => boolean
  /** Sets the idle timeout of the connection that a request came on; 0 disables it. */
  readonly setIdleTimeout: (request: Request, ms: number) => void
  /** Sends a frame to every socket of a group. */
  readonly publish: (group: string, frame: Frame) => void
}

/** Maximum size of a client's message that gets an answer. A longer message closes the connection. */
const PAYLOAD_MAX_BYTES = 64 * 1024

/**
 * Idle timeout of the runtime. It is longer than callers may leave heartbeats unanswered, so that only the hub closes
 * silent connections. The timeout also sets how long the runtime lets a closed socket drain: 12 to 16 seconds. The
 * value 0 would give at most 4 seconds.
 */
const IDLE_SECONDS = 120

/**
 * Maximum number of unsent bytes per socket. One flush adds fewer bytes before a slow socket is detected. Beyond this
 * limit the runtime silently drops messages.
 */
const BACKPRESSURE_BYTES = 64 * 1024 * 1024

/** Creates the WebSocket functions of one listener. */
export function createSockets(clock: Clock): Sockets {
  const compression = createCompression(clock)
  let bound: Server<SocketSink> | null = null
  return {
    handlers: {
      maxPayloadLength: PAYLOAD_MAX_BYTES,
      backpressureLimit: BACKPRESSURE_BYTES,
      idleTimeout: IDLE_SECONDS,
      sendPings: false,
      // A separate compressor per socket would cost 150 KiB each. A shared one costs only time.
      perMessageDeflate: { compress: 'shared', decompress: 'shared' },
      open: guarded('http', (socket) => socket.data.open(socket)),
      message: guarded('http', ({ data: { stream, connection } }, message) => {
        if (connection) stream.receive(connection, String(message))
      }),
      pong: guarded('http', ({ data: { stream, connection } }) => {
        if (connection) stream.alive(connection)
      }),
      close: guarded('http', ({ data: { stream, connection } }) => {
        if (connection) stream.gone(connection)
      }),
    },
    bind: (server) => {
      bound = server
    },
    upgrade: (request, owner) =>
      bound?.upgrade(request, { data: new SocketSink(owner, compression) }) ?? false,
    setIdleTimeout: (request, ms) => bound?.timeout(request, ms / 1000),
    publish: (group, { text }) =>
      bound?.publish(group, text, compression(text.length, bound.subscriberCount(group))),
  }
}

/** A socket's data and its connection sink in one object, which saves memory for thousands of sockets. */
export class SocketSink implements ConnectionSink {
  readonly stream: LiveStream
  /** Null until the socket is open. */
  connection: CallerConnection | null = null
  readonly #limitKey: string
  readonly #compression: Compression
  #socket: ServerWebSocket<SocketSink> | null = null

  constructor({ stream, limitKey }: SocketOwner, compression: Compression) {
    this.stream = stream
    this.#compression = compression
    this.#limitKey = limitKey
  }

  open(socket: ServerWebSocket<SocketSink>): void {
    this.#socket = socket
    this.connection = this.stream.converse(this, this.#limitKey)
  }

  get transport() {
    return 'socket' as const
  }

  send(frame: Frame): void {
    this.#socket?.sendText(frame.text, this.#compression(frame.text.length, 1))
  }

  deliver(frames: readonly Frame[]): void {
    for (const frame of frames) this.send(frame)
  }

  join(group: string): void {
    this.#socket?.subscribe(group)
  }

  leave(group: string): void {
    this.#socket?.unsubscribe(group)
  }

  bufferedBytes(): number {
    return this.#socket?.getBufferedAmount() ?? 0
  }

  heartbeat(): boolean {
    this.#socket?.ping()
    return true
  }

  // The runtime first sends pending messages and then the close code, for a limited time.
  close(code: number, reason: string): void {
    this.#socket?.close(code, reason)
  }
}
