/** A server in front of another whose clock can be a quarter of an hour late. */
export type LateServer = {
  readonly origin: string
  /** While late, answers to reads are dated back, and a browser keeps each of them for an hour. */
  readonly setLate: (isLate: boolean) => void
  /** Until this is over, no WebSocket that is asked for opens. */
  readonly holdSockets: (until: Promise<void>) => void
  readonly stop: () => Promise<void>
}

/** By how much a late answer is dated back. */
const LATE_MS = 900_000

/** Starts one in front of the server of `origin`; WebSockets pass through it. */
export function startLateServer(origin: string): LateServer {
  let isLate = false
  let held = Promise.resolve()
  const server = Bun.serve<{ readonly inner: WebSocket }>({
    ...{ hostname: '127.0.0.1', port: 0, idleTimeout: 0 },
    fetch: async (request, self) => {
      const { pathname, search } = new URL(request.url)
      const target = origin + pathname + search
      if (request.headers.get('upgrade') === 'websocket') {
        await held
        const inner = new WebSocket(target.replace(/^http/, 'ws'))
        return self.upgrade(request, { data: { inner } })
          ? undefined
          : new Response(null, { status: 400 })
      }
      const { method, headers } = request
      const body = method === 'GET' ? null : await request.arrayBuffer()
      const answer = await fetch(target, { method, headers, body, redirect: 'manual' })
      const isRead = method === 'GET' && pathname.startsWith('/api/')
      return isLate && isRead ? datedBack(answer) : passedOn(answer)
    },
    websocket: {
      open: (socket) => {
        const { inner } = socket.data
        inner.onmessage = ({ data }) => void socket.send(data)
        inner.onclose = () => socket.close()
      },
      message: ({ data: { inner } }, text) => {
        if (inner.readyState === WebSocket.OPEN) inner.send(text)
        else inner.addEventListener('open', () => inner.send(text))
      },
      close: ({ data: { inner } }) => inner.close(),
    },
  })
  return {
    origin: server.url.origin,
    setLate: (next) => {
      isLate = next
    },
    holdSockets: (until) => {
      held = until
    },
    stop: () => server.stop(true),
  }
}

function datedBack(answer: Response): Response {
  const { headers } = answer
  headers.set('date', new Date(Date.now() - LATE_MS).toUTCString())
  headers.set('cache-control', 'max-age=3600')
  return passedOn(answer)
}

/** An answer whose body has been decompressed on its way here. */
function passedOn(answer: Response): Response {
  const { headers, status } = answer
  headers.delete('content-encoding')
  headers.delete('content-length')
  return new Response(answer.body, { status, headers })
}
