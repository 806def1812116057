import { connect, createServer, type Server, type Socket } from 'node:net'

/** A signed call as it went to the venue. */
export type Passed = {
  readonly atMs: number
  readonly signature: string
  /** Method and path. */
  readonly call: string
  /** The beginning of what came back on its connection. */
  answer: string
}

/** The head of a request with a signature. */
const SIGNED =
  /([A-Z]+ \/\S*) HTTP\/1\.1\r\n(?:.+\r\n)*?orderly-signature: (\S+)\r\n(?:.+\r\n)*\r\n/i

const HEAD_MAX_CHARS = 8192
const ANSWER_MAX_CHARS = 1024

/** The way of all instances to a venue. It notes the signature of each call, and refuses connections until it is opened. */
export function watchedWay(port: number, to: number) {
  const passed: Passed[] = []
  const sockets = new Set<Socket>()
  let server: Server | null = null

  function watch(near: Socket, far: Socket): void {
    let text = ''
    let last: Passed | null = null
    far.on('data', (bytes) => {
      if (last && last.answer.length < ANSWER_MAX_CHARS) last.answer += bytes.toString('latin1')
    })
    near.on('data', (bytes) => {
      text += bytes.toString('latin1')
      for (let head = SIGNED.exec(text); head; head = SIGNED.exec(text)) {
        const [, call = '', signature = ''] = head
        last = { atMs: Date.now(), signature, call, answer: '' }
        passed.push(last)
        text = text.slice(head.index + head[0].length)
      }
      text = text.slice(-HEAD_MAX_CHARS)
    })
  }

  function join(near: Socket): void {
    const far = connect(to, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
    watch(near, far)
  }

  async function open(): Promise<void> {
    if (server) return
    server = createServer(join)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    server.on('error', reject)
    server.listen(port, '127.0.0.1', resolve)
    await promise
  }

  function close(): void {
    server?.close()
    server = null
    for (const socket of sockets) socket.destroy()
  }

  return { url: `http://127.0.0.1:${port}`, passed, open, close }
}
