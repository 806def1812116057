import { createServer, type Socket } from 'node:net'

/** One request exactly as it came over the wire. */
export type Recorded = {
  readonly method: string
  /** The request line's target, undecoded. */
  readonly target: string
  /** In order, names as received. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
  /** `body` as UTF-8. */
  readonly text: string
  /** Which connection carried it, counted from 1. */
  readonly connection: number
}

/**
 * What the server does with a request it has read:
 * `hang` never answers; `close` ends the connection without a byte; `raw` sends exactly these bytes and closes,
 * unless it is `open`;
 * otherwise an HTTP answer: `json` (a value) or `body` (as it is), chunked or with its length, after `delayMs`.
 * `truncated` announces the whole body, sends half of it and then closes or stalls. `contentType: null` sends none.
 */
export type AnswerSpec =
  | 'hang'
  | 'close'
  | { readonly raw: string | Uint8Array; readonly open?: boolean }
  | {
      readonly status?: number
      readonly json?: unknown
      readonly body?: string | Uint8Array
      readonly contentType?: string | null
      readonly headers?: Readonly<Record<string, string>>
      readonly delayMs?: number
      readonly chunked?: boolean
      readonly truncated?: 'close' | 'stall'
    }

export type RecordingUpstream = {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string
  /** Those that somebody caused: a server also looks at the venue's status by itself, which is in `received` alone. */
  readonly requests: readonly Recorded[]
  readonly received: readonly Recorded[]
  /** Connections open right now. */
  readonly openConnections: () => number
  readonly stop: () => Promise<void>
}

/** What a server asks on its own, to know whether the venue is there. */
const STATUS_PATH = '/v1/public/system_info'

/** The venue's way of saying yes. */
export const ACCEPTED = { json: { success: true, timestamp: 1_700_000_000_000, data: {} } } as const

/**
 * A venue for tests: an HTTP/1.1 server on raw TCP, so that what it records is what was sent, byte for byte.
 * Connections are kept alive. Requests have a content-length or no body. Loopback only, on a free port unless one is
 * given; always `await stop()`.
 */
export async function startRecordingUpstream(
  answer: (request: Recorded) => AnswerSpec | Promise<AnswerSpec> = () => ACCEPTED,
  port = 0,
): Promise<RecordingUpstream> {
  const requests: Recorded[] = []
  const all: Recorded[] = []
  const sockets = new Set<Socket>()
  let opened = 0

  const server = createServer((socket) => {
    opened += 1
    const connection = opened
    let received: Buffer = Buffer.alloc(0)
    let turn = Promise.resolve()
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, asBuffer(bytes)])
      for (let next = cut(received); next; next = cut(received)) {
        received = next.rest
        const request = { ...next.request, connection }
        all.push(request)
        if (request.target !== STATUS_PATH) requests.push(request)
        turn = turn.then(async () => reply(socket, await answer(request)))
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    requests,
    received: all,
    openConnections: () => sockets.size,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function asBuffer(bytes: string | Buffer): Buffer {
  return typeof bytes === 'string' ? Buffer.from(bytes) : bytes
}

function portOf(address: ReturnType<ReturnType<typeof createServer>['address']>): number {
  if (address === null || typeof address === 'string') throw new Error('not listening on TCP')
  return address.port
}

/** The first whole request in `bytes`, and what follows it; null while it is incomplete. */
function cut(bytes: Buffer): { request: Omit<Recorded, 'connection'>; rest: Buffer } | null {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const [requestLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const headers = lines.map(splitHeader)
  const end = headEnd + 4 + Number(headerOf({ headers }, 'content-length') ?? 0)
  if (bytes.length < end) return null
  const [method = '', target = ''] = requestLine.split(' ')
  const body = Uint8Array.from(bytes.subarray(headEnd + 4, end))
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  return { request: { method, target, headers, body, text }, rest: bytes.subarray(end) }
}

function splitHeader(line: string): readonly [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 1).trim()]
}

/** The value of a recorded header, whatever the case of its name. */
export function headerOf(request: Pick<Recorded, 'headers'>, name: string): string | undefined {
  return request.headers.find(([key]) => key.toLowerCase() === name)?.[1]
}

async function reply(socket: Socket, spec: AnswerSpec): Promise<void> {
  if (spec === 'hang') return
  if (spec === 'close') return void socket.destroy()
  if ('raw' in spec) return void (spec.open ? socket.write(spec.raw) : socket.end(spec.raw))
  if (spec.delayMs) await Bun.sleep(spec.delayMs)
  const body = Buffer.from(spec.body ?? JSON.stringify(spec.json ?? ACCEPTED.json))
  socket.write(headOf(spec, body.length))
  if (spec.chunked) writeChunks(socket, body, spec.truncated !== undefined)
  else socket.write(spec.truncated ? body.subarray(0, body.length / 2) : body)
  if (spec.truncated === 'close') socket.end()
}

function headOf(spec: Exclude<AnswerSpec, string | { raw: unknown }>, length: number): string {
  const { status = 200, contentType = 'application/json', headers = {}, chunked } = spec
  const lines = [
    `HTTP/1.1 ${status} Status`,
    chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
    ...(contentType === null ? [] : [`Content-Type: ${contentType}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Two chunks and the end; truncated: the first chunk only. */
function writeChunks(socket: Socket, body: Buffer, truncated: boolean): void {
  const middle = Math.floor(body.length / 2)
  const halves = [body.subarray(0, middle), body.subarray(middle)].filter((half) => half.length > 0)
  for (const half of truncated ? halves.slice(0, 1) : halves) {
    socket.write(`${half.length.toString(16)}\r\n`)
    socket.write(half)
    socket.write('\r\n')
  }
  if (!truncated) socket.write('0\r\n\r\n')
}
