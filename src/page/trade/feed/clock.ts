import { computed, signal } from '@preact/signals'
import { nowMs } from '../../common/world.ts'
import { createSkew } from './skew.ts'

/** Signatures are refused by the server from five minutes on. */
const REFUSED_FROM_MS = 290_000

const ANSWER_MAX_MS = 10_000

/** This server answers it itself, and nothing keeps the answer. */
const UNCACHED_PATH = '/api/prep/op/platform.ipInfo'

const skew = createSkew({
  nowMs,
  serverMs: async () => {
    const { headers } = await fetch(UNCACHED_PATH, {
      cache: 'no-store',
      signal: AbortSignal.timeout(ANSWER_MAX_MS),
    })
    const atMs = Date.parse(headers.get('date') ?? '')
    return Number.isNaN(atMs) || Number(headers.get('age')) > 0 ? null : atMs
  },
  after: (ms, work) => setTimeout(work, ms),
})

/** The device's time, ticking once a second. */
export const second = signal(nowMs())

/** How far this device's clock is ahead of the server's, in milliseconds, when it is worth a word; else 0. */
export const skewMs = skew.offsetMs

/** Whether what is signed now would be refused for its time. */
export const isClockUnusable = computed(() => Math.abs(skewMs.value) > REFUSED_FROM_MS)

/** Takes the time of a message or an answer, which may have come late. */
export const noteServerMs = skew.hint

/** Lets `second` tick, and measures the clock. */
export function startClock(): void {
  setInterval(() => {
    second.value = nowMs()
  }, 1000)
  void skew.measure()
}
