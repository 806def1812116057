import { computed, signal } from '@preact/signals'
import { keptSignal } from '../../common/kept.ts'
import { nowMs } from '../../common/world.ts'
import { createSkew } from './skew.ts'

/** The server refuses signatures whose time is off by five minutes. */
const REFUSED_FROM_MS = 290_000

const ANSWER_MAX_MS = 10_000

/** A path that this server answers itself, uncached. */
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

/** The lead of this device's clock over the server's, in milliseconds, if it is large enough to report; else 0. */
export const skewMs = skew.offsetMs

/** The server's time, ticking once a second: the device's time where the two differ by less than a minute. */
export const serverSecond = computed(() => second.value - skewMs.value)

/** The offset with which the reader has agreed to sign; NaN before. */
const agreedMs = keptSignal('signing-offset', (text) => (text === '' ? NaN : Number(text)), String)

/**
 * A consent is valid for offsets this near to the agreed one, so that a server cannot move the time of signatures
 * further.
 */
const AGREED_WITHIN_MS = 60_000

/** Whether the page signs with the server's time: the present offset is within the agreed one. */
export const isOffsetAgreed = computed(
  () => skewMs.value !== 0 && Math.abs(skewMs.value - agreedMs.value) <= AGREED_WITHIN_MS,
)

/** Signs with the server's time from now on, as long as the clock's offset stays near its present value. */
export function agreeToServerTime(): void {
  agreedMs.value = skewMs.peek()
}

const signingOffsetMs = computed(() => (isOffsetAgreed.value ? skewMs.value : 0))

/** The time that a signature made now carries, in whole milliseconds. */
export function signingMs(): number {
  return Math.round(nowMs() - signingOffsetMs.peek())
}

/** The same, ticking once a second. */
export const signingSecond = computed(() => second.value - signingOffsetMs.value)

/** Whether a signature made now would be refused for its time. */
export const isClockUnusable = computed(
  () => Math.abs(skewMs.value - signingOffsetMs.value) > REFUSED_FROM_MS,
)

/** Takes the server's time of a message or an answer, which may be late. */
export const noteServerMs = skew.hint

/** Lets `second` tick, and measures the clock. */
export function startClock(): void {
  setInterval(() => {
    second.value = nowMs()
  }, 1000)
  void skew.measure()
}
