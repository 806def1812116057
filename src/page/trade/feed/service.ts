import { signal } from '@preact/signals'
import { createApi, type Tidings } from '../../common/api.ts'
import { nowMs } from '../../common/world.ts'
import { createBudget } from './budget.ts'
import { noteServerTime } from './clock.ts'
import { createPolling } from './polling.ts'

const budget = createBudget()

/** Whether the browser believes that it has a network, and the server answers. */
export const isOffline = signal(!navigator.onLine)

function told(tidings: Tidings): void {
  budget.note(tidings)
  noteServerTime(tidings)
  isOffline.value = false
}

/** This server. */
export const api = createApi({
  fetch: (path, init) => fetch(path, init).catch(failed),
  nowMs,
  onTidings: told,
})

function failed(error: unknown): never {
  isOffline.value = true
  throw error
}

/** Live data: polled. A pushing feed takes this place and nothing else changes. */
export const feed = createPolling({
  budget,
  nowMs,
  isHidden: () => document.visibilityState === 'hidden',
  after: (ms, work) => {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
})

document.addEventListener('visibilitychange', feed.wake)
addEventListener('online', feed.wake)
addEventListener('offline', () => {
  isOffline.value = true
})
