import { connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import selfSigned from '../vectors/self-signed.json'

const BODY = JSON.stringify({ success: true, timestamp: 1, data: { order_id: 7 } })
const HEAD = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`

/** When a connection dies, with how much of its answer gone; `never` lives on. */
export const POINTS = {
  'before its request was read': 0,
  'after its request was read': 0,
  'in the head of its answer': 20,
  'in the body of its answer': HEAD.length + 9,
  'with its answer': HEAD.length + BODY.length,
  never: HEAD.length + BODY.length,
} as const

export type Point = keyof typeof POINTS

/** How it dies: in order, or torn down. */
export type Ending = 'FIN' | 'RST'

/**
 * A venue on loopback, plain or over TLS, whose connections die when and how a test asks for. It is TCP that dies: no
 * record of TLS says so before.
 */
export async function startDyingVenue(scheme: 'http' | 'https') {
  let point: Point = 'never'
  let ending: Ending = 'FIN'
  const arrived: string[] = []
  const lines = new Set<Socket>()

  function endLine(line: Socket): void {
    lines.delete(line)
    if (ending === 'FIN') line.end()
    else line.resetAndDestroy()
  }

  /** Settles when the system has been given the end of each of them. */
  async function endAll(): Promise<void> {
    const given = [...lines].map(async (line) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      line.once('finish', resolve).once('close', resolve)
      endLine(line)
      await promise
    })
    await Promise.all(given)
  }

  const reader = listening(scheme, (socket, request) => {
    arrived.push(/client_order_id\W+(\w+)/.exec(request)?.[1] ?? '')
    const answer = (HEAD + BODY).slice(0, POINTS[point])
    if (answer === '') void endAll()
    else socket.write(answer)
  })
  const readerPort = await portOf(reader)

  const door = createServer((line) => {
    lines.add(line)
    const inner = connect(readerPort, '127.0.0.1')
    const isDying = () => point !== 'never' && arrived.length > 0
    line.on('error', () => line.destroy())
    line.on('close', () => {
      lines.delete(line)
      inner.destroy()
    })
    inner.on('error', () => line.destroy())
    inner.on('data', (bytes) => {
      if (lines.has(line)) line.write(bytes, () => void (isDying() && endLine(line)))
    })
    line.on('data', (bytes) => {
      if (point === 'before its request was read') endLine(line)
      else inner.write(bytes)
    })
  })
  const port = await portOf(door)

  return {
    url: `${scheme}://localhost:${port}`,
    /** How the connections of all calls from now on die; nothing has arrived yet. */
    dies: (nextPoint: Point, nextEnding: Ending = 'FIN') => {
      point = nextPoint
      ending = nextEnding
      arrived.length = 0
    },
    /** The ids of the requests that it read since then. */
    arrived: (): readonly string[] => arrived,
    connections: () => lines.size,
    /** Every connection dies now: those without a call while they are idle. */
    endAll,
    stop: () => {
      for (const line of lines) line.destroy()
      door.close()
      reader.close()
    },
  }
}

/** Reads requests and calls `onRequest` for each complete one. */
function listening(
  scheme: 'http' | 'https',
  onRequest: (socket: Socket, request: string) => void,
): Server {
  const { certificate: cert, key } = selfSigned
  function read(socket: Socket): void {
    let text = ''
    socket.on('error', () => socket.destroy())
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      const headEnd = text.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      if (headEnd < 0 || text.length < headEnd + 4 + length) return
      onRequest(socket, text)
      text = ''
    })
  }
  return scheme === 'http' ? createServer(read) : createTlsServer({ cert, key }, read)
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening on TCP')
  return address.port
}
