import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import { createApi, type Tidings } from '../../common/api.ts'
import { metaOf } from '../../common/document.ts'
import { chance, nowMs } from '../../common/world.ts'
import { createBudget } from './budget.ts'
import { noteServerMs } from './clock.ts'
import { NO_READING, type Reading, type Topic, type Watch } from './feed.ts'
import type { LiveTeller } from './live.ts'
import type { Prove } from './live-state.ts'
import { createPolling } from './polling.ts'

const budget = createBudget()

/** Whether the browser believes that it has a network, and the server answers. */
export const isOffline = signal(!navigator.onLine)

function told(tidings: Tidings): void {
  budget.note(tidings)
  if (tidings.serverMs !== null) noteServerMs(tidings.serverMs)
  isOffline.value = false
}

/** This server. */
export const api = createApi({
  fetch: (path, init) => fetch(path, init).catch(failed),
  onTidings: told,
})

function failed(error: unknown): never {
  isOffline.value = true
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

/** What is shown: asked for again and again, or told by the server where it has live data. */
export const feed = createPolling({ ...world, budget })

let teller: LiveTeller | null = null
let listener: Prove | null = null

/** Has the server told who listens, so that it tells of the account too; null is nobody. */
export function identify(prove: Prove | null): void {
  listener = prove
  teller?.identify(prove)
}

/** Lets the server tell, where it does. What that takes comes after what is looked at first. */
export async function startTelling(): Promise<void> {
  if (metaOf('live') !== 'on') return
  const { openTeller } = await import('./live-wire.ts')
  teller = openTeller({ ...world, chance, onServerTime: toldTime })
  teller.identify(listener)
  feed.tellBy(teller)
}

function toldTime(serverMs: number): void {
  noteServerMs(serverMs)
  isOffline.value = false
}

document.addEventListener('visibilitychange', () => {
  feed.wake()
  teller?.look()
})
addEventListener('online', () => {
  feed.wake()
  teller?.setOnline(true)
})
addEventListener('offline', () => {
  isOffline.value = true
  teller?.setOnline(false)
})

/** Follows whatever topic the moment asks for; null asks for none. */
export function followed(topicOf: () => Topic | null): ReadonlySignal<Reading> {
  const current = signal<Watch | null>(null)
  effect(() => {
    const topic = topicOf()
    const watch = topic && feed.watch(topic)
    current.value = watch
    return watch?.stop
  })
  return computed(() => current.value?.reading.value ?? NO_READING)
}
