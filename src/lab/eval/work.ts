import type { AgentOutcome } from '../../contract/venue/evaluated-agent.ts'
import { isObject } from '../../core/json.ts'
import { after } from '../../core/loop/guarded.ts'
import type { WorkLimits, WorkUnit } from './agent.ts'

/** An agent's work, compared with its limits. Counting starts with `begin`. */
export type AgentWork = {
  readonly begin: () => void
  /** Settles with the first exceeded limit. */
  readonly passed: Promise<AgentOutcome>
  readonly isPassed: () => boolean
  /**
   * Counts messages to the tools, orders, or written bytes. Returns false once the limit for this kind of work is
   * reached.
   */
  readonly spend: (what: WorkUnit, amount: number) => boolean
  /**
   * Runs work. If venue time passes during it, a new decision begins, so the real time of the work is not charged to
   * the agent.
   */
  readonly during: <Done>(work: () => Promise<Done>) => Promise<Done>
  readonly end: () => void
}

const NO_WORK: Readonly<Record<WorkUnit, number>> = { calls: 0, orders: 0, bytes: 0 }

/** Counts an agent's work and real time per decision. A decision ends when venue time passes. */
export function watchWork(nowMs: () => number, limits: WorkLimits): AgentWork {
  const { promise: passed, resolve } = Promise.withResolvers<AgentOutcome>()
  let state: 'new' | 'begun' | 'ended' = 'new'
  let [decidedAtMs, pending, isLate] = [nowMs(), 0, false]
  let spent = { ...NO_WORK }
  let over: AgentOutcome | null = null
  let [stopThinking, stopRunning] = [NOT_BEGUN, NOT_BEGUN]

  function end(): void {
    stopThinking()
    stopRunning()
    if (state === 'begun') state = 'ended'
  }

  function pass(limit: AgentOutcome): void {
    if (state !== 'begun') return
    over = limit
    end()
    resolve(limit)
  }

  function passThinking(): void {
    // A running call delays the check, because the call may let time pass, which begins a new decision.
    if (pending > 0) isLate = true
    else pass(spent.calls > 0 ? 'think_max' : 'silent')
  }

  function beginDecision(): void {
    decidedAtMs = nowMs()
    spent = { ...NO_WORK }
    isLate = false
    stopThinking()
    if (state === 'begun') stopThinking = runAfterMs(limits.thinkMaxMs, passThinking)
  }

  function begin(): void {
    state = 'begun'
    stopRunning = runAfterMs(limits.runMaxMs, () => pass('run_max'))
    beginDecision()
  }

  function spend(what: WorkUnit, amount: number): boolean {
    if (state === 'begun') {
      if (nowMs() !== decidedAtMs) beginDecision()
      spent[what] += amount
      if (spent[what] > limits.perDecision[what]) pass(`${what}_max`)
    }
    return over !== `${what}_max`
  }

  async function during<Done>(work: () => Promise<Done>): Promise<Done> {
    pending += 1
    try {
      return await work()
    } finally {
      pending -= 1
      if (nowMs() !== decidedAtMs) beginDecision()
      else if (isLate) passThinking()
    }
  }
  return { begin, passed, isPassed: () => over !== null, spend, during, end }
}

const NOT_BEGUN: () => void = () => undefined
/** Maximum duration of a timer. */
const TIMER_MAX_MS = 2 ** 31 - 1

/** Runs work after a time that may exceed a timer's maximum. Returns a function that stops it. */
function runAfterMs(ms: number, work: () => void): () => void {
  let timer: NodeJS.Timeout
  function wait(leftMs: number): void {
    const nextMs = Math.min(leftMs, TIMER_MAX_MS)
    timer = after('process', nextMs, () => (leftMs > nextMs ? wait(leftMs - nextMs) : work()))
  }
  wait(ms)
  return () => clearTimeout(timer)
}

/** The number of orders that a signed POST or PUT places or edits. */
export function writtenOrderCount(path: unknown, body: unknown): number {
  if (path === '/v1/order' || path === '/v1/algo/order') return 1
  if (path !== '/v1/batch-order' || !isObject(body)) return 0
  return Array.isArray(body['orders']) ? body['orders'].length : 0
}
