import type { LatencyLeg, VenueLatency } from '../../contract/venue/latency.ts'
import { detached, yieldToEventLoop } from '../../core/loop/guarded.ts'
import type { Clock } from '../../core/ports.ts'
import { createRng, normal } from '../base/rng.ts'
import type { VenueAnswer } from '../messages/message.ts'

/** Draws how long a call takes on each leg, in whole ms. The same seed gives the same draws in the same order. */
export type LatencyDraws = (leg: LatencyLeg) => number

export function latencyDraws(latency: VenueLatency | null, seed: number): LatencyDraws {
  const legs = {
    feed: createRng(seed, 'latency', 'feed'),
    entry: createRng(seed, 'latency', 'entry'),
    answer: createRng(seed, 'latency', 'answer'),
  }
  return (leg) => {
    if (latency === null) return 0
    const { meanMs, jitterMs } = latency[leg]
    return Math.max(0, Math.round(meanMs + jitterMs * normal(legs[leg])))
  }
}

/** The clock on which calls travel. */
export type TransitClock = Clock & {
  /** Moves a virtual clock to the time that a call has reached; null if the clock is real. */
  readonly reach: ((atMs: number) => void) | null
  /** Waits in real time. */
  readonly sleep: (ms: number) => Promise<void>
}

/** Settles when the clock has reached a time and all earlier work is done. */
export type WaitUntilClock = (atMs: number) => Promise<void>

type Due = { readonly atMs: number; readonly done: () => void }

/**
 * Lets time pass for travelling calls. A virtual clock moves to the call that is due first. Calls that were sent at the
 * same time therefore travel in parallel.
 */
export function createTransit({ nowMs, reach, sleep }: TransitClock): WaitUntilClock {
  const waiting: Due[] = []
  let isMoving = false

  function next(): Due | undefined {
    const first = waiting.reduce<Due | undefined>(
      (earliest, due) => (earliest && earliest.atMs <= due.atMs ? earliest : due),
      undefined,
    )
    if (first) waiting.splice(waiting.indexOf(first), 1)
    return first
  }

  async function move(reachTime: (atMs: number) => void): Promise<void> {
    isMoving = true
    // Waits one turn, so that calls that arrive together get the same start time.
    await yieldToEventLoop()
    for (let due = next(); due; due = next()) {
      reachTime(due.atMs)
      due.done()
      await yieldToEventLoop()
    }
    isMoving = false
  }

  return (atMs) => {
    if (!reach) return sleep(Math.max(0, atMs - nowMs()))
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.push({ atMs, done: resolve })
    if (!isMoving) detached('venue', move(reach))
    return promise
  }
}

/** A venue with latency. A call takes effect when it arrives, and its caller gets the answer later. */
export function latencyFront(
  answer: VenueAnswer,
  {
    draws,
    pass,
    clock,
  }: { readonly draws: LatencyDraws; readonly pass: WaitUntilClock; readonly clock: Clock },
): VenueAnswer {
  return async (request) => {
    await pass(clock.nowMs() + draws('entry'))
    const response = await answer(request)
    await pass(clock.nowMs() + draws('answer'))
    return response
  }
}
