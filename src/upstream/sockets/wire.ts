import { readSync } from 'node:fs'
import { releaseReserve } from '../../core/loop/descriptor-reserve.ts'
import { after, guarded, systemErrorCode } from '../../core/loop/guarded.ts'
import type { CallAbortSignal } from './exchange.ts'

/** Receives a socket's events. */
type Line = {
  readonly data: (bytes: Buffer) => void
  /** The peer ended its side, or the connection broke with an error. */
  readonly ended: (error?: Error) => void
}

/** An open TCP connection, plain or with TLS and a verified certificate. */
export type Wire = {
  readonly listen: (line: Line) => void
  /** Sends bytes as soon as the system accepts them. */
  readonly write: (bytes: Uint8Array) => void
  /** Whether the system has accepted every written byte. */
  readonly isFlushed: () => boolean
  readonly isOpen: () => boolean
  /**
   * Whether the socket is open and the system holds no unread bytes for it. The check discards a byte that it finds.
   */
  readonly isQuiet: () => boolean
  /** `close` ends the connection gracefully, `destroy` at once. Neither reports another event. */
  readonly close: () => void
  readonly destroy: () => void
  readonly pause: () => void
  readonly resume: () => void
  /** Sets whether the socket keeps the process alive. */
  readonly hold: (isHeld: boolean) => void
}

/** Handles a socket's events. */
type State = {
  readonly connected: (socket: Bun.Socket<State>) => void
  /** The connection is ready for bytes. */
  readonly opened: () => void
  readonly data: (bytes: Buffer) => void
  readonly drained: () => void
  readonly ended: (error?: Error) => void
}

// An unexpected error of ours closes the connection, because it is unknown how much of the answer was processed.
const broken = (error: unknown, { data }: Bun.Socket<State>) =>
  data.ended(error instanceof Error ? error : new Error('the connection broke'))

const HANDLER: Bun.SocketHandler<State> = {
  data: guarded('upstream', ({ data }, bytes) => data.data(bytes), broken),
  drain: guarded('upstream', ({ data }) => data.drained(), broken),
  end: guarded('upstream', ({ data }) => data.ended()),
  close: guarded('upstream', ({ data }, error) => data.ended(error)),
  error: guarded('upstream', ({ data }, error) => data.ended(error)),
  connectError: guarded('upstream', ({ data }, error) => data.ended(error)),
}

const PLAIN: Bun.SocketHandler<State> = {
  ...HANDLER,
  open: guarded(
    'upstream',
    (socket) => {
      socket.data.connected(socket)
      socket.data.opened()
    },
    broken,
  ),
}

const SECURE: Bun.SocketHandler<State> = {
  ...HANDLER,
  open: guarded('upstream', (socket) => socket.data.connected(socket), broken),
  handshake: guarded(
    'upstream',
    ({ data }, isTrusted, error) => {
      if (isTrusted && !error) data.opened()
      else data.ended(error ?? new Error('a host without a certificate to trust'))
    },
    broken,
  ),
}

/** The address to connect to instead of a lookup of the URL's host. The certificate is still verified for the host. */
export type ServerEndpoint = {
  readonly address: string
  readonly port: number
  /** Trusted certificate authorities in PEM; absent: the system's. */
  readonly ca?: string
}

/**
 * Connects to a URL's host. Throws the error of the connection or of the certificate, with its code, or the signal's
 * reason. The system may continue an aborted attempt for minutes; `onSettled` is called when the attempt ends.
 */
export function openWire(
  url: URL,
  signal: CallAbortSignal,
  onSettled: () => void,
  at?: ServerEndpoint,
): Promise<Wire> {
  const isSecure = url.protocol === 'https:'
  const { promise, resolve, reject } = Promise.withResolvers<Wire>()
  const { state, wire } = createWire(resolve, reject)
  const stop = guarded('upstream', () => {
    wire.destroy()
    reject(signal.reason)
  })
  signal.addEventListener('abort', stop)
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  releaseReserve()
  Bun.connect<State>({
    hostname: at?.address ?? hostname,
    port: at?.port ?? Number(url.port || (isSecure ? 443 : 80)),
    data: state,
    socket: isSecure ? SECURE : PLAIN,
    ...(isSecure && {
      tls: {
        rejectUnauthorized: true,
        ...tlsName(url),
        ...(at?.ca !== undefined && { ca: at.ca }),
      },
    }),
  })
    .finally(onSettled)
    .catch(reject)
  return promise.finally(() => signal.removeEventListener('abort', stop))
}

/**
 * The server name for TLS. A host that is an IP address sends no name (RFC 6066, 3), but the certificate is still
 * verified for the address.
 */
function tlsName({ hostname }: URL): { readonly serverName?: string } {
  const isAddress = hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(hostname)
  return isAddress ? {} : { serverName: hostname }
}

function createWire(opened: (wire: Wire) => void, failed: (error: unknown) => void) {
  let socket: Bun.Socket<State> | null = null
  let isOver = false
  let line: Line | null = null
  let unsent: Uint8Array | null = null

  function flush(): void {
    if (!unsent || !socket) return
    const sent = socket.write(unsent)
    if (sent < 0) state.ended()
    else unsent = sent < unsent.byteLength ? unsent.subarray(sent) : null
  }

  const wire: Wire = {
    listen: (next) => {
      line = next
    },
    write: (bytes) => {
      unsent = bytes
      flush()
    },
    isFlushed: () => unsent === null,
    isOpen: () => !isOver,
    isQuiet: () => !isOver && socket !== null && hasNothingToRead(socket),
    close: () => {
      isOver = true
      // `end` would leave a TLS descriptor open until the host ends its side, which may be never (Bun 1.4.5).
      socket?.shutdown()
      after('upstream', CLOSING_MAX_MS, () => socket?.terminate()).unref()
    },
    destroy: () => {
      isOver = true
      socket?.terminate()
    },
    pause: () => void (isOver || socket?.pause()),
    resume: () => void (isOver || socket?.resume()),
    hold: (isHeld) => void (isOver || (isHeld ? socket?.ref() : socket?.unref())),
  }

  const state: State = {
    connected: (connected) => {
      socket = connected
      if (isOver) connected.terminate()
      else connected.setNoDelay(true)
    },
    opened: () => {
      if (!isOver) opened(wire)
    },
    data: (bytes) => {
      if (!isOver) line?.data(bytes)
    },
    drained: flush,
    ended: (error) => {
      if (isOver) return
      isOver = true
      socket?.terminate()
      failed(error ?? new Error('the connection ended before it was open'))
      line?.ended(error)
    },
  }

  return { state, wire }
}

/** Time that the peer has to end its side of a connection that was closed gracefully. */
const CLOSING_MAX_MS = 250

const ONE_BYTE = new Uint8Array(1)

/**
 * Whether the system has no bytes for a socket. Reads the descriptor directly, because the event loop has not seen
 * bytes that arrived since its last turn. The runtime's sockets do not block: on an open connection without bytes, the
 * read fails with EAGAIN.
 */
function hasNothingToRead(socket: object): boolean {
  if (!('fd' in socket) || typeof socket.fd !== 'number') return false
  try {
    readSync(socket.fd, ONE_BYTE, 0, 1, null)
    return false
  } catch (error) {
    return systemErrorCode(error) === 'EAGAIN'
  }
}
