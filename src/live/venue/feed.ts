import { LIMITS } from '../../contract/limits.ts'
import { STREAM_LIMITS } from '../../contract/stream/limits.ts'
import type { AccountSink, Feed, FeedAuth, FeedMessage, FeedSink } from '../../core/feed.ts'
import { after, inMicrotask } from '../../core/loop/guarded.ts'
import { UpstreamError } from '../../core/ports.ts'
import { ACCOUNT_TOPICS, LIVE_PATHS, LIVE_TOPICS } from '../../upstream/wire/live.ts'
import {
  authText,
  bookText,
  type LiveMessage,
  subscribeText,
} from '../../upstream/wire/live-messages.ts'
import {
  addTopic,
  confirmSubscription,
  dropTopic,
  type FeedSocket,
  type FeedSockets,
  socketUrl,
} from './feed-sockets.ts'
import { openSocket, type SocketWorld } from './socket.ts'

type LiveFeedOptions = SocketWorld & {
  /** Scheme, host and port of the venue's public sockets, and of its private sockets (null without them). */
  readonly open: URL
  readonly account: URL | null
}

type PendingRequest = {
  readonly line: FeedSocket
  readonly resolve: (message: FeedMessage) => void
  readonly reject: (error: UpstreamError) => void
}

type State = {
  readonly lines: FeedSockets
  readonly questions: Map<string, PendingRequest>
  asked: number
  malformed: number
}

/**
 * The live feed of a remote venue. Each topic is subscribed once for all subscribers, and again after a lost
 * connection.
 */
export function liveFeed({ open, account, clock, random, log }: LiveFeedOptions): Feed {
  const world = { clock, random, log }
  const accounts = new Set<() => void>()
  const questions = new Map<string, PendingRequest>()
  const malformed = () => {
    state.malformed += 1
  }
  const lines: FeedSockets = {
    ...world,
    url: open,
    lines: new Set(),
    topics: new Map(),
    waiting: new Set(),
    message: (message) => receive(state, message),
    malformed,
    lost: (line) => rejectRequests(questions, line),
    rateMs: undefined,
    pump: undefined,
  }
  const state: State = { lines, questions, asked: 0, malformed: 0 }
  const accountFeed = (base: URL): NonNullable<Feed['account']> => {
    return (auth, sink) => {
      const url = socketUrl(base, LIVE_PATHS.account(auth.accountId))
      const end = openAccount({ ...world, url, auth, sink, malformed })
      accounts.add(end)
      return () => {
        accounts.delete(end)
        end()
      }
    }
  }
  return {
    subscribe: (topic, sink) => subscribe(state, topic, sink),
    book: (symbol) => askBook(state, symbol),
    account: account && accountFeed(account),
    size: () => ({
      topics: lines.topics.size,
      accounts: accounts.size,
      malformed: state.malformed,
    }),
    close: () => {
      clearTimeout(lines.pump)
      for (const { socket } of lines.lines) socket.close()
      for (const end of accounts) end()
    },
  }
}

function subscribe({ lines }: State, topic: string, sink: FeedSink): () => void {
  const known = lines.topics.get(topic)
  const subscribed = known ?? addTopic(lines, topic)
  subscribed.sinks.add(sink)
  if (known?.isOpen) inMicrotask('upstream', sink.opened)
  return () => {
    subscribed.sinks.delete(sink)
    const isLast = subscribed.sinks.size === 0 && lines.topics.get(topic) === subscribed
    if (isLast) dropTopic(lines, topic, subscribed)
  }
}

function receive(state: State, message: LiveMessage): void {
  const { lines } = state
  if (message.kind === 'published') {
    confirmSubscription(lines, message.topic)
    for (const sink of lines.topics.get(message.topic)?.sinks ?? []) sink.message(message)
  } else if (message.kind === 'answered') {
    receiveAnswer(state, message)
  }
}

function receiveAnswer(
  { lines, questions }: State,
  { event, id, isGood, atMs, data }: Extract<LiveMessage, { kind: 'answered' }>,
): void {
  if (event === 'subscribe') {
    // A refused topic is then served by reads only.
    if (!isGood) lines.log.warn('stream_refused', { topic: lines.topics.has(id) ? id : 'unknown' })
    confirmSubscription(lines, id)
  } else if (event === 'request') {
    const question = takeRequest(questions, id)
    if (isGood) question?.resolve({ topic: id, atMs, data })
    else question?.reject(new UpstreamError('content_type', true))
  }
}

async function askBook(state: State, symbol: string): Promise<FeedMessage> {
  const { lines, questions } = state
  const line = lines.topics.get(LIVE_TOPICS.book(symbol))?.line
  if (!line?.socket.isUp()) throw new UpstreamError('unreachable', false)
  state.asked += 1
  const id = `book-${state.asked}`
  const { promise, resolve, reject } = Promise.withResolvers<FeedMessage>()
  questions.set(id, { line, resolve, reject })
  const late = () => takeRequest(questions, id)?.reject(new UpstreamError('timeout', true))
  const timer = after('upstream', STREAM_LIMITS.feedRequestMs, late)
  line.socket.send(bookText(id, symbol))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
  }
}

function rejectRequests(questions: Map<string, PendingRequest>, line: FeedSocket): void {
  for (const [id, question] of questions) {
    if (question.line === line) takeRequest(questions, id)?.reject(new UpstreamError('reset', true))
  }
}

function takeRequest(
  questions: Map<string, PendingRequest>,
  id: string,
): PendingRequest | undefined {
  const question = questions.get(id)
  questions.delete(id)
  return question
}

type AccountSocketOptions = SocketWorld & {
  readonly url: string
  readonly auth: FeedAuth
  readonly sink: AccountSink
  readonly malformed: () => void
}

/**
 * Opens a private socket for one account and key. It reconnects while the signature is valid, then reports that it has
 * expired. Returns a function that closes it.
 */
function openAccount({ url, auth, sink, ...world }: AccountSocketOptions): () => void {
  const isFresh = () => world.clock.nowMs() - Number(auth.timestamp) <= LIMITS.signatureAgeMaxMs
  let isOpen = false
  const socket = openSocket({
    ...world,
    url,
    up: () => socket.send(authText(auth)),
    message: received,
    down: () => {
      if (isOpen) sink.lost()
      isOpen = false
    },
    mayRetry: () => {
      if (isFresh()) return true
      sink.expired()
      return false
    },
  })

  function received(message: LiveMessage): void {
    if (message.kind === 'published') sink.message(message)
    else if (message.kind === 'answered' && message.event === 'auth') judged(message.isGood)
  }

  function judged(isGood: boolean): void {
    if (isGood) {
      for (const topic of ACCOUNT_TOPICS) socket.send(subscribeText(topic))
      isOpen = true
      sink.opened()
      return
    }
    socket.close()
    // A refusal means that the key is not accepted, unless the signature is merely too old.
    if (isFresh()) sink.refused()
    else sink.expired()
  }

  return socket.close
}
