import { type Exact, memberRows, memberText, memberValue } from '../../common/exact-json.ts'
import type { TopicLine } from './line.ts'
import {
  type LiveState,
  memberNumber,
  noteMessage,
  RETRY_MIN_MS,
  topicLines,
} from './live-state.ts'

/** A refused topic is requested again after this time. */
const REFUSED_MS = 30_000

/** Takes a message of the server. */
export function receive(state: LiveState, message: Exact): void {
  noteMessage(state)
  const serverMs = memberNumber(message, 'ts')
  if (serverMs > 0) state.onServerTime(serverMs)
  const [type, topic] = [memberText(message, 'type'), memberText(message, 'topic')]
  if (type === 'error') refuse(state, topic, message)
  else if (topic !== '') receiveTopic(state, topic, message)
  else receiveControl(state, type, message)
}

/** Handles a message about the connection itself. */
function receiveControl(state: LiveState, type: string, message: Exact): void {
  if (type === 'ack' && memberText(message, 'op') === 'auth') {
    state.isProved = true
    syncSoon(state)
  } else if (type === 'auth_required') void prove(state)
  else if (type === 'bye') {
    state.retryMs = Math.max(RETRY_MIN_MS, 2 * (memberNumber(message, 'retryAfterMs') || 0))
  }
}

function refuse(state: LiveState, topic: string, message: Exact): void {
  const ended = memberRows(memberValue(message, 'meta'), 'topics').map(String)
  if (ended.length > 0) state.isProved = false
  for (const name of topic === '' ? ended : [topic]) {
    state.asked.delete(name)
    state.refused.set(name, state.nowMs() + REFUSED_MS)
    for (const line of topicLines(state, name)) line.release(state.lastMessageAtMs)
  }
  if (topic !== '') state.after(REFUSED_MS + 1, () => syncSoon(state))
}

function receiveTopic(state: LiveState, topic: string, message: Exact): void {
  // Ignores a message that was under way when the topic was unsubscribed.
  if (!state.asked.has(topic)) return
  const data = state.topics.apply(topic, message)
  if (data === null && !isPrivate(topic)) {
    resubscribe(state, topic)
    return
  }
  state.retryMs = RETRY_MIN_MS
  for (const line of topicLines(state, topic)) deliver(state, line, topic, message, data)
}

function deliver(
  state: LiveState,
  line: TopicLine,
  topic: string,
  message: Exact,
  data: Exact | null,
): void {
  const type = memberText(message, 'type')
  if (type === 'stale') {
    const ageMs = memberNumber(memberValue(message, 'data') ?? null, 'ageMs') || 0
    line.release(state.lastMessageAtMs - ageMs)
  } else if (line.topic.live?.kind === 'data') line.push(data)
  // Only an event has rows; a snapshot or resync triggers a read.
  else line.notice(topic, data !== null && type === 'event' ? memberRows(data, 'rows') : null)
}

/** Gives a new line the current state of its live topics. */
export function pushKnown({ asked, topics }: LiveState, line: TopicLine): void {
  for (const name of line.topic.live?.topics ?? []) {
    const known = asked.has(name) ? topics.of(name) : undefined
    if (known && line.topic.live?.kind === 'data') line.push(known.data)
    else if (known) line.follow()
  }
}

/** Subscribes a topic again after a gap, because changes without the lost message would give a wrong state. */
function resubscribe(state: LiveState, topic: string): void {
  state.wire?.send({ op: 'unsubscribe', topics: [topic] })
  state.asked.delete(topic)
  syncSoon(state)
}

/** Topics of the account, which need an authenticated key. */
const PRIVATE: ReadonlySet<string> = new Set(['orders', 'fills', 'positions', 'balances'])

/** Whether a topic belongs to the account. */
function isPrivate(topic: string): boolean {
  return PRIVATE.has(topic)
}

const SYNC_MS = 150

/** Synchronises subscriptions after a short delay, so that several changes need one message. */
export function syncSoon(state: LiveState): void {
  state.cancelSync ??= state.after(SYNC_MS, () => {
    state.cancelSync = null
    sync(state)
  })
}

/** Subscribes to wanted topics and unsubscribes from all others, with one message per operation. */
function sync({ isOpen, wire, asked, topics, ...state }: LiveState): void {
  if (!isOpen || !wire) return
  const wanted = wantedBy(state)
  const dropped = [...asked].filter((topic) => !wanted.has(topic))
  const added = [...wanted].filter((topic) => !asked.has(topic))
  for (const topic of dropped) {
    asked.delete(topic)
    topics.leave(topic)
  }
  for (const topic of added) asked.add(topic)
  if (dropped.length > 0) wire.send({ op: 'unsubscribe', topics: dropped })
  if (added.length === 0) return
  const since = added.flatMap((topic) => {
    const place = topics.sinceOf(topic)
    return place ? [[topic, place] as const] : []
  })
  wire.send({ op: 'subscribe', topics: added, since: Object.fromEntries(since) })
}

function wantedBy(state: Pick<LiveState, 'lines' | 'isHidden' | 'isProved' | 'refused' | 'nowMs'>) {
  const wanted = new Set<string>()
  if (state.isHidden()) return wanted
  for (const { topic } of state.lines) {
    for (const name of topic.live?.topics ?? []) {
      const isRefused = (state.refused.get(name) ?? 0) > state.nowMs()
      if (!isRefused && (state.isProved || !isPrivate(name))) wanted.add(name)
    }
  }
  return wanted
}

/** Authenticates the trading key on the connection, if an account is open. */
export async function prove(state: LiveState): Promise<void> {
  const { wire } = state
  const proof = await state.prove?.().catch(() => null)
  if (proof && wire && wire === state.wire) wire.send({ op: 'auth', ...proof })
}
