import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import { createApi, type ResponseInfo } from '../../common/api.ts'
import { metaContent } from '../../common/document.ts'
import { nowMs, random } from '../../common/world.ts'
import { createBudget } from './budget.ts'
import { noteServerMs } from './clock.ts'
import { type FeedTopic, NO_READING, type TopicReading, type TopicWatch } from './feed.ts'
import type { LiveConnection } from './live.ts'
import type { SignFeedAuth } from './live-state.ts'
import { createPolling } from './polling.ts'
import { browserWindows } from './windows.ts'

const budget = createBudget()

/** Whether the network or the server is unreachable, as far as the browser knows. */
export const isServiceOffline = signal(!navigator.onLine)

function noteResponse(response: ResponseInfo): void {
  budget.note(response)
  if (response.serverMs !== null) noteServerMs(response.serverMs)
  isServiceOffline.value = false
}

/** The API of this server. */
export const api = createApi({
  fetch: (path, init) => fetch(path, init).catch(failed),
  onResponse: noteResponse,
})

function failed(error: unknown): never {
  isServiceOffline.value = true
  throw error
}

const world = {
  nowMs,
  isHidden: () => document.visibilityState === 'hidden',
  after: (ms: number, work: () => void) => {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
}

/** All data of the page: polled, or live if the server streams it. */
export const feed = createPolling({ ...world, budget, windows: browserWindows() })

/** Counts one private read as sent now. */
export function countRead(): void {
  budget.take(nowMs())
}

/** Holds private reads back during a write, until the returned function is called. */
export const holdReads = budget.hold

let connection: LiveConnection | null = null
let prover: SignFeedAuth | null = null

/** Authenticates live data, so that it includes the account's topics; null without an account. */
export function identify(prove: SignFeedAuth | null): void {
  prover = prove
  connection?.identify(prove)
}

type OpenLive = typeof import('./live-wire.ts')['openLiveConnection']

/** Starts live data if the server offers it; otherwise everything is polled. */
export function startLive(open: OpenLive): void {
  if (metaContent('live') !== 'on') return
  connection = open({ ...world, random, onServerTime: noteMessageTime })
  connection.identify(prover)
  feed.pushFrom(connection)
}

/** Reads everything now, independent of the schedules. */
export function refreshAll(): void {
  feed.refresh('')
}

function noteMessageTime(serverMs: number): void {
  noteServerMs(serverMs)
  isServiceOffline.value = false
}

document.addEventListener('visibilitychange', () => {
  feed.wake()
  connection?.look()
})
addEventListener('online', () => {
  feed.wake()
  connection?.setOnline(true)
})
addEventListener('offline', () => {
  isServiceOffline.value = true
  connection?.setOnline(false)
})

/** A topic that reads a path of this server at this interval. */
export function pathTopic(path: string, everyMs: number, policy = 'read'): FeedTopic {
  return { name: path, everyMs, policy, load: () => api.get(path) }
}

/** Follows the topic that `wanted` currently returns; null means no topic. */
export function followTopic(wanted: () => FeedTopic | null): ReadonlySignal<TopicReading> {
  const readings = followTopics(() => [wanted()].filter((topic) => topic !== null))
  return computed(() => readings.value[0] ?? NO_READING)
}

/**
 * Follows the topics that `topicsOf` currently returns. The readings are in the order of the topics. A topic that stays
 * in the list is not read again.
 */
export function followTopics(
  topicsOf: () => readonly FeedTopic[],
): ReadonlySignal<readonly TopicReading[]> {
  const current = signal<readonly TopicWatch[]>([])
  effect(() => {
    const before = current.peek()
    current.value = topicsOf().map(feed.watch)
    for (const { stop } of before) stop()
  })
  return computed(() => current.value.map(({ reading }) => reading.value))
}
