import { type Exact, memberOf, rowsOf, textOf } from '../../../common/exact-json.ts'
import type { Line } from '../line.ts'
import { isPrivate, prove, syncSoon } from './asking.ts'
import { heard, linesOf, RETRY_MIN_MS, type State } from './state.ts'
import { countOf } from './taking.ts'

/** A topic that was refused is asked for again after this. */
const REFUSED_MS = 30_000

/** Takes a message of the server. */
export function hear(state: State, message: Exact): void {
  heard(state)
  const serverMs = countOf(message, 'ts')
  if (serverMs > 0) state.onServerTime(serverMs)
  const [type, topic] = [textOf(message, 'type'), textOf(message, 'topic')]
  if (type === 'error') refuse(state, topic, message)
  else if (topic !== '') hearOf(state, topic, message)
  else about(state, type, message)
}

/** A message about the connection itself. */
function about(state: State, type: string, message: Exact): void {
  if (type === 'ack' && textOf(message, 'op') === 'auth') {
    state.isProved = true
    syncSoon(state)
  } else if (type === 'auth_required') void prove(state)
  else if (type === 'bye') {
    state.retryMs = Math.max(RETRY_MIN_MS, 2 * (countOf(message, 'retryAfterMs') || 0))
  }
}

function refuse(state: State, topic: string, message: Exact): void {
  const ended = rowsOf(memberOf(message, 'meta'), 'topics').map(String)
  if (ended.length > 0) state.isProved = false
  for (const name of topic === '' ? ended : [topic]) {
    state.asked.delete(name)
    state.refused.set(name, state.nowMs() + REFUSED_MS)
    for (const line of linesOf(state, name)) line.release(state.heardAtMs)
  }
  if (topic !== '') state.after(REFUSED_MS + 1, () => syncSoon(state))
}

function hearOf(state: State, topic: string, message: Exact): void {
  // What was on its way when the topic was given up.
  if (!state.asked.has(topic)) return
  const data = state.told.take(topic, message)
  if (data === null && !isPrivate(topic)) {
    again(state, topic)
    return
  }
  state.retryMs = RETRY_MIN_MS
  const isStale = textOf(message, 'type') === 'stale'
  const ageMs = countOf(memberOf(message, 'data') ?? null, 'ageMs') || 0
  for (const line of linesOf(state, topic)) {
    if (isStale) line.release(state.heardAtMs - ageMs)
    else give(line, data)
  }
}

function give(line: Line, data: Exact): void {
  if (line.topic.live?.kind === 'told') line.tell(data)
  else line.notice()
}

/** Tells a line that has just come what was told before it came. */
export function tellKnown({ asked, told }: State, line: Line): void {
  for (const name of line.topic.live?.topics ?? []) {
    const standing = asked.has(name) ? told.of(name) : undefined
    if (standing) give(line, standing.data)
  }
}

/** After a gap a topic begins anew: what follows would be wrong. */
function again(state: State, topic: string): void {
  state.wire?.send({ op: 'unsubscribe', topics: [topic] })
  state.asked.delete(topic)
  syncSoon(state)
}
