import type { ServerWebSocket } from 'bun'
import { isObject } from '../../src/core/json.ts'
import { createEmbeddedVenue } from '../../src/simulator/embedded.ts'
import { FEW_MARKETS } from '../target.ts'

/** A venue elsewhere whose live wire says what a test has it say; requests are answered by a seeded world. */
export type ScriptedVenue = {
  readonly url: string
  readonly streamUrl: string
  /** Every message of a client, in order. */
  readonly received: readonly Readonly<Record<string, unknown>>[]
  readonly subscribed: (topic: string) => number
  readonly sockets: () => number
  /** Bytes that were published so far, to all subscribers together. */
  readonly publishedBytes: () => number
  /** Publishes to all subscribers. */
  readonly publish: (topic: string, data: unknown, ts?: number) => void
  /** Sends a text to every socket, subscribed or not. */
  readonly send: (text: string) => void
  /** Answers the one-shot request for a book from now on. */
  readonly setBook: (book: Book) => void
  /** Cuts every connection. While it is down, new ones are refused. */
  readonly cut: () => void
  readonly setDown: (isDown: boolean) => void
  readonly stop: () => Promise<void>
}

type Book = (symbol: string) => Promise<{ readonly ts: number; readonly data: object }>

type Held = { readonly topics: Set<string> }

export function startScriptedVenue(): ScriptedVenue {
  const entities = { kinds: () => [], load: () => [], commit: () => undefined }
  const quiet = { error: drop, warn: drop, info: drop, debug: drop }
  const world = createEmbeddedVenue({
    seed: 1,
    markets: FEW_MARKETS.split(','),
    pricesCsv: null,
    tape: null,
    paper: null,
    activity: 'sparse',
    time: 'real',
    faucet: 0n,
    wallClock: { nowMs: Date.now },
    startMs: 0,
    monotonicMs: () => performance.now(),
    log: quiet,
    entities,
  })
  const received: Record<string, unknown>[] = []
  const sockets = new Set<ServerWebSocket<Held>>()
  let isDown = false
  let publishedBytes = 0
  let book: Book = async (symbol) => {
    const { atMs, data } = await world.live.book(symbol)
    return { ts: atMs, data: Object(data) }
  }

  async function answer(
    socket: ServerWebSocket<Held>,
    message: Record<string, unknown>,
  ): Promise<void> {
    const { id, event, topic } = message
    const ts = Date.now()
    if (event === 'subscribe') socket.data.topics.add(String(topic))
    if (event === 'unsubscribe') socket.data.topics.delete(String(topic))
    if (event === 'pong') return
    if (event === 'request') {
      const symbol = isObject(message['params']) ? String(message['params']['symbol']) : ''
      const { ts: bookTs, data } = await book(symbol)
      const answered = { id, event, success: true, ts, data: { ...data, symbol, ts: bookTs } }
      socket.send(JSON.stringify(answered))
    } else socket.send(JSON.stringify({ id, event, success: true, ts }))
  }

  const server = Bun.serve<Held>({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request, self) => {
      const { pathname, search } = new URL(request.url)
      if (isDown) return new Response(null, { status: 503 })
      if (self.upgrade(request, { data: { topics: new Set() } })) return undefined
      const body = await request.text()
      const answered = await world.answer({
        method: request.method,
        path: pathname + search,
        headers: Object.fromEntries(request.headers),
        ...(body && { body }),
      })
      const { status, headers } = answered
      return new Response(answered.body, { status, headers })
    },
    websocket: {
      open: (socket) => {
        sockets.add(socket)
      },
      close: (socket) => {
        sockets.delete(socket)
      },
      message: (socket, text) => {
        const message: unknown = JSON.parse(String(text))
        if (!isObject(message)) return
        received.push(message)
        void answer(socket, message)
      },
    },
  })
  const host = `127.0.0.1:${server.port}`
  return {
    url: `http://${host}`,
    streamUrl: `ws://${host}`,
    received,
    subscribed: (topic) =>
      received.filter((message) => message['event'] === 'subscribe' && message['topic'] === topic)
        .length,
    sockets: () => sockets.size,
    publishedBytes: () => publishedBytes,
    publish: (topic, data, ts = Date.now()) => {
      for (const socket of sockets) {
        if (!socket.data.topics.has(topic)) continue
        const text = JSON.stringify({ topic, ts, data })
        publishedBytes += Buffer.byteLength(text)
        socket.send(text)
      }
    },
    send: (text) => {
      for (const socket of sockets) socket.send(text)
    },
    setBook: (next) => {
      book = next
    },
    cut: () => {
      for (const socket of sockets) socket.terminate()
    },
    setDown: (down) => {
      isDown = down
    },
    stop: () => server.stop(true),
  }
}

function drop(): void {
  // Nobody reads this world's log.
}
