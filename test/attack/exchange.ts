import { connect } from 'node:net'

const DEADLINE_MS = 8000

/** What a connection gave back until it ended, however it ended. Throws when it is left open. */
export async function exchange(url: string, request: Buffer): Promise<Buffer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(request))
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`left open after ${Buffer.concat(chunks).toString('latin1').slice(0, 200)}`))
    }, DEADLINE_MS)
    const settle = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(Buffer.concat(chunks))
    }
    socket.on('data', (bytes: Buffer) => chunks.push(bytes))
    socket.on('end', settle)
    socket.on('close', settle)
    // A server that has refused a request need not read the rest of it.
    socket.on('error', settle)
  })
}

/** What came back, as far as it is HTTP. */
export type Answered = {
  /** Of the first answer; 0 when there was none. */
  readonly status: number
  readonly answers: number
  /** Of the first answer, in lower case. */
  readonly head: string
  readonly body: string
  readonly text: string
}

export function answered(bytes: Buffer): Answered {
  const text = bytes.toString('utf8')
  const headEnd = Math.max(bytes.indexOf('\r\n\r\n'), 0)
  const head = bytes.subarray(0, headEnd).toString('latin1').toLowerCase()
  const lengthBytes = Number(/^content-length: (\d+)/m.exec(head)?.[1] ?? bytes.length)
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
  return {
    status: statuses[0] ?? 0,
    answers: statuses.length,
    head,
    body: bytes.subarray(headEnd + 4, headEnd + 4 + lengthBytes).toString(),
    text,
  }
}
