import { connect, type Socket } from 'node:net'

/** What became of a request; `cut` is a connection that ended without an answer, `unanswered` one that stayed open. */
type Exchanged = {
  readonly outcome: 'answered' | 'cut' | 'unanswered'
  readonly status: number
  readonly text: string
  /** Whether the connection had carried a request before. */
  readonly isKept: boolean
}

export type HttpClient = {
  /** Sends a request with an optional JSON body. */
  readonly ask: (path: string, body?: string) => Promise<Exchanged>
  readonly stop: () => void
}

type Idle = { readonly socket: Socket; readonly sinceMs: number }

/** Longer than any deadline, and than a connection waits for its instance to accept it. */
const WAIT_MAX_MS = 45_000
/** Shorter than an instance keeps a connection that says nothing. */
const IDLE_MAX_MS = 3000

/** An HTTP client with kept connections, one request at a time on each, that resends nothing. */
export function openClient(url: string): HttpClient {
  const { port } = new URL(url)
  const idle: Idle[] = []
  const open = new Set<Socket>()

  function connected(): Socket {
    const socket = connect(Number(port), '127.0.0.1')
    open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      open.delete(socket)
      const at = idle.findIndex((kept) => kept.socket === socket)
      if (at >= 0) idle.splice(at, 1)
    })
    return socket
  }

  function kept(): Socket | null {
    const last = idle.pop()
    if (!last) return null
    if (performance.now() - last.sinceMs < IDLE_MAX_MS && !last.socket.destroyed) return last.socket
    last.socket.destroy()
    return kept()
  }

  async function ask(path: string, body?: string): Promise<Exchanged> {
    const reused = kept()
    const socket = reused ?? connected()
    const isKept = reused !== null
    const answer = await exchange(socket, requestOf(path, body))
    if (typeof answer === 'string') {
      socket.destroy()
      return { outcome: answer, status: 0, text: '', isKept }
    }
    if (answer.isClosing) socket.destroy()
    else idle.push({ socket, sinceMs: performance.now() })
    return { outcome: 'answered', status: answer.status, text: answer.text, isKept }
  }

  return {
    ask,
    stop: () => {
      for (const socket of open) socket.destroy()
    },
  }
}

function requestOf(path: string, body?: string): string {
  const host = 'Host: 127.0.0.1\r\n'
  if (body === undefined) return `GET ${path} HTTP/1.1\r\n${host}\r\n`
  const length = Buffer.byteLength(body)
  const type = 'Content-Type: application/json\r\n'
  return `POST ${path} HTTP/1.1\r\n${host}${type}Content-Length: ${length}\r\n\r\n${body}`
}

type Read = { readonly status: number; readonly text: string; readonly isClosing: boolean }

function exchange(socket: Socket, request: string): Promise<Read | 'cut' | 'unanswered'> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0)
    const timer = setTimeout(() => settle('unanswered'), WAIT_MAX_MS)
    const ended = () => settle('cut')
    const arrived = (bytes: Buffer) => {
      received = Buffer.concat([received, bytes])
      const read = readAnswer(received)
      if (read) settle(read)
    }
    function settle(result: Read | 'cut' | 'unanswered'): void {
      clearTimeout(timer)
      socket.off('close', ended)
      socket.off('data', arrived)
      resolve(result)
    }
    socket.on('close', ended)
    socket.on('data', arrived)
    socket.write(request)
  })
}

/** An answer with its length, or in chunks; null while it is incomplete. */
function readAnswer(bytes: Buffer): Read | null {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const head = bytes.toString('latin1', 0, headEnd)
  const length = /^content-length: *(\d+)/im.exec(head)?.[1]
  const rest = bytes.subarray(headEnd + 4)
  const isWhole =
    length === undefined
      ? rest.subarray(-5).toString() === '0\r\n\r\n'
      : rest.length >= Number(length)
  if (!isWhole) return null
  return {
    status: Number(head.slice(9, 12)),
    text: rest.toString(),
    isClosing: /^connection: *close/im.test(head),
  }
}
