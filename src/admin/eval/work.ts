import { isObject } from '../../core/json.ts'
import { after } from '../../core/loop/guarded.ts'
import type { AgentOutcome } from '../../spec/venue/evaluated-agent.ts'
import type { Spent, WorkLimits } from './agent.ts'

/** What an agent has done, against its limits. They hold from `begin` on; before, nothing is counted. */
export type AgentWork = {
  readonly begin: () => void
  /** Settles with the first limit that was passed. */
  readonly passed: Promise<AgentOutcome>
  readonly isPassed: () => boolean
  /** Counts messages to the tools, orders, or bytes that the agent has written. */
  readonly spend: (what: Spent, amount: number) => void
  /** Does something that may let venue time pass. The real time of a step of the clock is not the agent's. */
  readonly during: <Done>(work: () => Promise<Done>) => Promise<Done>
  readonly end: () => void
}

const NOTHING: Readonly<Record<Spent, number>> = { calls: 0, orders: 0, bytes: 0 }

/** Counts the work of an agent per decision, which is over when venue time has passed, and its real time. */
export function watchWork(nowMs: () => number, limits: WorkLimits): AgentWork {
  const { promise: passed, resolve } = Promise.withResolvers<AgentOutcome>()
  let state: 'new' | 'begun' | 'passed' | 'ended' = 'new'
  let decidedAtMs = nowMs()
  let spent = { ...NOTHING }
  let pending = 0
  let isLate = false
  let [thinking, running]: NodeJS.Timeout[] = []

  function end(): void {
    clearTimeout(thinking)
    clearTimeout(running)
    if (state === 'begun') state = 'ended'
  }

  function pass(limit: AgentOutcome): void {
    if (state !== 'begun') return
    state = 'passed'
    end()
    resolve(limit)
  }

  function passThinking(): void {
    // Time may be about to pass, which begins another decision.
    if (pending > 0) isLate = true
    else pass(spent.calls > 0 ? 'think_max' : 'silent')
  }

  function beginDecision(): void {
    decidedAtMs = nowMs()
    spent = { ...NOTHING }
    isLate = false
    clearTimeout(thinking)
    if (state === 'begun') thinking = after('process', limits.thinkMaxMs, passThinking)
  }

  function begin(): void {
    state = 'begun'
    running = after('process', limits.runMaxMs, () => pass('run_max'))
    beginDecision()
  }

  function spend(what: Spent, amount: number): void {
    if (state !== 'begun') return
    if (nowMs() !== decidedAtMs) beginDecision()
    spent[what] += amount
    if (spent[what] > limits.perDecision[what]) pass(`${what}_max`)
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
  return { begin, passed, isPassed: () => state === 'passed', spend, during, end }
}

/** How many orders the signed POST or PUT of a path places or edits. */
export function ordersIn(path: unknown, body: unknown): number {
  if (path === '/v1/order' || path === '/v1/algo/order') return 1
  if (path !== '/v1/batch-order' || !isObject(body)) return 0
  return Array.isArray(body['orders']) ? body['orders'].length : 0
}
