import { readSync } from 'node:fs'
import { after, codeOf, guarded } from '../../core/loop/guarded.ts'
import { makeRoom } from '../../core/loop/reserve.ts'
import type { Ending } from './exchange.ts'

/** The listener of a wire. */
type Line = {
  readonly data: (bytes: Buffer) => void
  /** The other end says no more, or the wire broke. */
  readonly ended: (error?: Error) => void
}

/** An open TCP connection, plain or with the certificate of its host verified. */
export type Wire = {
  readonly listen: (line: Line) => void
  /** Hands bytes to the system, as soon as it takes them. */
  readonly write: (bytes: Uint8Array) => void
  /** Whether the system has taken all of them. */
  readonly isFlushed: () => boolean
  readonly isOpen: () => boolean
  /** Whether it is open and the system holds nothing to be read from it; what it holds is lost by the question. */
  readonly isQuiet: () => boolean
  /** Ends it in order, or at once; its listener gets no more events. */
  readonly close: () => void
  readonly destroy: () => void
  readonly pause: () => void
  readonly resume: () => void
  /** Whether the process waits for it. */
  readonly hold: (isHeld: boolean) => void
}

/** The handlers of a socket's events. */
type State = {
  readonly connected: (socket: Bun.Socket<State>) => void
  /** It may be used. */
  readonly opened: () => void
  readonly data: (bytes: Buffer) => void
  readonly drained: () => void
  readonly ended: (error?: Error) => void
}

// A connection that met an error of ours carries nothing more: what was read of its answer is unknown.
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

/** An address instead of a host's name, which is not looked up then; its certificate is still that of the name. */
export type Place = {
  readonly address: string
  readonly port: number
  /** The authorities that its certificate may have, in PEM; absent for those of the system. */
  readonly ca?: string
}

/**
 * Opens a wire to a URL's host. Throws the error that its connection or its certificate met, with its code, or the reason
 * of the signal that ended the wait; the system may try on for minutes, and `onSettled` is called when it does no more.
 */
export function openWire(
  url: URL,
  signal: Ending,
  onSettled: () => void,
  at?: Place,
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
  makeRoom()
  Bun.connect<State>({
    hostname: at?.address ?? hostname,
    port: at?.port ?? Number(url.port || (isSecure ? 443 : 80)),
    data: state,
    socket: isSecure ? SECURE : PLAIN,
    ...(isSecure && {
      tls: { rejectUnauthorized: true, ...nameOf(url), ...(at?.ca !== undefined && { ca: at.ca }) },
    }),
  })
    .finally(onSettled)
    .catch(reject)
  return promise.finally(() => signal.removeEventListener('abort', stop))
}

/** What a host is asked for by: an address is no name (RFC 6066, 3), but its certificate is judged by it as well. */
function nameOf({ hostname }: URL): { readonly serverName?: string } {
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
      // `end` leaves a descriptor of TLS open until the host ends its side (Bun 1.4.5), for ever if that does not.
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

/** How long the other end has to end its side of a connection that is closed in order. */
const CLOSING_MAX_MS = 250

const ONE_BYTE = new Uint8Array(1)

/**
 * Reads from the socket itself, since the loop has not seen what came since its last turn. The runtime's sockets never
 * block: where nothing came, and the other end has not closed, the read fails with EAGAIN.
 */
function hasNothingToRead(socket: object): boolean {
  if (!('fd' in socket) || typeof socket.fd !== 'number') return false
  try {
    readSync(socket.fd, ONE_BYTE, 0, 1, null)
    return false
  } catch (error) {
    return codeOf(error) === 'EAGAIN'
  }
}
