import { computed, signal } from '@preact/signals'
import type { Tidings } from '../../common/api.ts'
import { nowMs } from '../../common/world.ts'

/** From here on a wrong clock is named; signatures are refused by the server from five minutes on. */
const NAMED_FROM_MS = 30_000
const REFUSED_FROM_MS = 290_000

const offset = signal(0)

/** The device's time, ticking once a second. */
export const second = signal(nowMs())

/** How far this device's clock is ahead of the server's, in milliseconds, when it is worth a word; else 0. */
export const skewMs = computed(() => (Math.abs(offset.value) > NAMED_FROM_MS ? offset.value : 0))

/** Whether what is signed now would be refused for its time. */
export const isClockUnusable = computed(() => Math.abs(offset.value) > REFUSED_FROM_MS)

/** Takes the server's time from an answer: a `Date` header is cut to the second. */
export function noteServerTime({ serverMs, receivedAtMs }: Tidings): void {
  // When it was asked says nothing: the server may have waited, and this clock may have been set meanwhile.
  if (serverMs !== null) noteOffset(receivedAtMs - (serverMs + 500))
}

/** Takes the server's time from a message that has just come. */
export function noteServerMs(serverMs: number): void {
  noteOffset(nowMs() - serverMs)
}

function noteOffset(found: number): void {
  // The sign of a clock that is right to the second is noise.
  if (Math.abs(found - offset.peek()) > 1000) offset.value = found
}

/** Lets `second` tick. */
export function startClock(): void {
  setInterval(() => {
    second.value = nowMs()
  }, 1000)
}
