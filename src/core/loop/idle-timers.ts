import type { ProcessPart } from '../../contract/operator/process.ts'
import { every, guarded, nextTurn } from './guarded.ts'

/**
 * These timers run at their own interval while this thread is in use. While it is idle, they run together once every
 * five seconds, so that an idle process wakes rarely and creates no garbage.
 */

/** `collectAfter` is the number of idle turns before garbage collection. */
const IDLE = { everyMs: 5_000, collectAfter: 6 } as const

/** Receives the time until the timer's next run. */
type Work = (nextMs: number) => unknown

type IdleTimer = {
  readonly ms: number
  readonly part: ProcessPart
  readonly work: (nextMs: number) => void
}

const timers = new Map<IdleTimer, NodeJS.Timeout | null>()
let watch: NodeJS.Timeout | null = null
let isUsed = true
/** The number of idle turns since the last use; null while the thread is in use. */
let restingTurns: number | null = null

/** Repeats work at this interval while the thread is in use, otherwise every five seconds. Returns a function that stops. */
export function repeatWhileInUse(part: ProcessPart, ms: number, work: Work): () => void {
  const one = { part, ms, work: guarded(part, work) }
  timers.set(one, restingTurns === null ? started(one) : null)
  watch ??= every('process', IDLE.everyMs, turn)
  return () => {
    clearInterval(timers.get(one) ?? undefined)
    timers.delete(one)
    if (timers.size > 0 || watch === null) return
    clearInterval(watch)
    watch = null
    isUsed = true
    restingTurns = null
  }
}

/** Marks this thread as in use: idle timers run in the loop's next turn, then at their own rate. */
export function markInUse(): void {
  isUsed = true
  if (restingTurns === null) return
  restingTurns = null
  nextTurn('process', resume)
}

function started({ part, ms, work }: IdleTimer): NodeJS.Timeout {
  return every(part, ms, () => work(ms))
}

function resume(): void {
  for (const [one, timer] of timers) {
    if (timer !== null) continue
    timers.set(one, started(one))
    one.work(one.ms)
  }
}

function turn(): void {
  if (isUsed) {
    isUsed = false
    return
  }
  if (restingTurns === null) stopTimers()
  restingTurns = (restingTurns ?? 0) + 1
  for (const { work } of timers.keys()) work(IDLE.everyMs)
  if (restingTurns === IDLE.collectAfter) Bun.gc(true)
}

function stopTimers(): void {
  for (const [one, timer] of timers) {
    clearInterval(timer ?? undefined)
    timers.set(one, null)
  }
}
