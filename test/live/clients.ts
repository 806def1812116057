import { EventSource } from 'eventsource'
import WebSocket from '../../node_modules/ws/lib/websocket.js'

/** A message of the server. */
export type Message = {
  readonly type: string
  readonly topic?: string
  readonly epoch?: string
  readonly seq?: number
  readonly ts?: number
  readonly data?: Readonly<Record<string, unknown>>
  readonly code?: string
  readonly meta?: Readonly<Record<string, unknown>>
}

/** A client of live data that keeps its messages. */
export type LiveClient = {
  readonly messages: Message[]
  /** The first message, already here or to come, that is meant. Throws after `waitMs`. */
  readonly next: (isMeant: (message: Message) => boolean, waitMs?: number) => Promise<Message>
  readonly close: () => void
}

export type SocketClient = LiveClient & {
  readonly send: (message: object | string) => void
  readonly socket: WebSocket
  /** Resolves when the connection has ended. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
}

/** The WebSocket client of npm's `ws`, connected. Throws when the server does not upgrade. */
export async function openSocket(
  baseUrl: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<SocketClient> {
  const socket = new WebSocket(`${baseUrl.replace(/^http/, 'ws')}/api/prep/ws`, { headers })
  const messages: Message[] = []
  socket.on('message', (data) => messages.push(JSON.parse(String(data))))
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }))
  })
  await new Promise<void>((resolve, reject) => {
    socket.on('open', resolve)
    socket.on('error', reject)
  })
  return {
    socket,
    messages,
    closed,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    next: (isMeant, waitMs) => nextOf(messages, isMeant, waitMs),
    close: () => socket.close(),
  }
}

export type EventClient = LiveClient & {
  /** The id of the last event. */
  readonly lastId: () => string
}

/** The client of npm's `eventsource`. */
export function openEvents(baseUrl: string, topics: readonly string[], lastId = ''): EventClient {
  const messages: Message[] = []
  let id = lastId
  const source = new EventSource(`${baseUrl}/api/prep/stream?topics=${topics.join(',')}`, {
    fetch: (url, init) =>
      fetch(url, {
        ...init,
        headers: { ...init?.headers, ...(id && { 'last-event-id': id }) },
      }),
  })
  source.onmessage = ({ data, lastEventId }) => {
    if (lastEventId) id = lastEventId
    messages.push(JSON.parse(data))
  }
  return {
    messages,
    lastId: () => id,
    next: (isMeant, waitMs) => nextOf(messages, isMeant, waitMs),
    close: () => source.close(),
  }
}

/** Nothing that is made to happen takes as long, whatever the machine is doing. */
const WAIT_MS = 60_000
const LOOK_MS = 5

async function nextOf(
  messages: readonly Message[],
  isMeant: (message: Message) => boolean,
  waitMs = WAIT_MS,
): Promise<Message> {
  const untilMs = performance.now() + waitMs
  while (performance.now() < untilMs) {
    const found = messages.find(isMeant)
    if (found) return found
    await Bun.sleep(LOOK_MS)
  }
  throw new Error(`not told in ${waitMs} ms: ${JSON.stringify(messages).slice(0, 500)}`)
}

/** A first message of a topic. */
export function snapshotOf(topic: string) {
  return (message: Message) => message.topic === topic && message.type === 'snapshot'
}

/** Every break in the numbers of a topic within its epochs, as words. */
export function gapsIn(messages: readonly Message[]): readonly string[] {
  const last = new Map<string, number>()
  return messages.flatMap(({ topic, epoch, seq, type }) => {
    if (topic === undefined || seq === undefined) return []
    const key = `${topic} ${epoch}`
    const before = last.get(key)
    last.set(key, seq)
    const isOpening = type === 'snapshot' || type === 'resync'
    return isOpening || seq === (before ?? 0) + 1 ? [] : [`${key} ${before} ${seq} ${type}`]
  })
}
