import { computed, signal } from '@preact/signals'
import { keptSignal } from '../../common/kept.ts'
import { nowMs } from '../../common/world.ts'
import { createSkew } from './skew.ts'

/** Clock offset from which the server refuses signatures: five minutes, less a margin of ten seconds. */
const REFUSED_FROM_MS = 290_000

const ANSWER_MAX_MS = 10_000

/** A path that this server answers itself, without a cache. */
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

/** The device's time, updated once a second. */
export const second = signal(nowMs())

/** How far this device's clock is ahead of the server's, in ms; 0 for an offset below one minute. */
export const skewMs = skew.offsetMs

/** The server's time, updated once a second; the device's time if the two differ by less than a minute. */
export const serverSecond = computed(() => second.value - skewMs.value)

/** The clock offset with which the user has agreed to sign; NaN without consent. */
const agreedMs = keptSignal('signing-offset', (text) => (text === '' ? NaN : Number(text)), String)

/**
 * Maximum distance from the agreed offset for which the consent is valid, so that a server cannot shift signing times
 * further.
 */
const AGREED_WITHIN_MS = 60_000

/** Whether the page signs with the server's time, because the user agreed to about the current offset. */
export const isOffsetAgreed = computed(
  () => skewMs.value !== 0 && Math.abs(skewMs.value - agreedMs.value) <= AGREED_WITHIN_MS,
)

/** Records the user's consent to sign with the server's time while the clock offset stays near its current value. */
export function agreeToServerTime(): void {
  agreedMs.value = skewMs.peek()
}

const signingOffsetMs = computed(() => (isOffsetAgreed.value ? skewMs.value : 0))

/** The timestamp for a signature made now, in whole milliseconds. */
export function signingMs(): number {
  return Math.round(nowMs() - signingOffsetMs.peek())
}

/** The signing time, updated once a second. */
export const signingSecond = computed(() => second.value - signingOffsetMs.value)

/** Whether the server would refuse a signature made now because of its timestamp. */
export const isClockUnusable = computed(
  () => Math.abs(skewMs.value - signingOffsetMs.value) > REFUSED_FROM_MS,
)

/** Takes the server's time from a message or answer, which may arrive late. */
export const noteServerMs = skew.hint

/** Starts updating `second`, and measures the clock offset. */
export function startClock(): void {
  setInterval(() => {
    second.value = nowMs()
  }, 1000)
  void skew.measure()
}
