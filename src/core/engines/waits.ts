import { currentVisit, type Visit } from '../observing/visit.ts'

/** What each request may still wait for an engine; what no request asked for has all of it each time. */
export type Waits = {
  /** Milliseconds left to the request that the running code works for: 0 or less when it has waited for long enough. */
  readonly leftMs: () => number
  /** Counts the milliseconds until the work has settled. */
  readonly counted: <Value>(work: () => Promise<Value>) => Promise<Value>
}

export function createWaits(nowMs: () => number, maxMs: number): Waits {
  const waitedMs = new WeakMap<Visit, number>()

  const waited = (visit: Visit | undefined) => (visit && waitedMs.get(visit)) ?? 0

  async function counted<Value>(work: () => Promise<Value>): Promise<Value> {
    const visit = currentVisit()
    if (!visit) return work()
    const startedMs = nowMs()
    try {
      return await work()
    } finally {
      const tookMs = nowMs() - startedMs
      if (tookMs > NOTED_MS) waitedMs.set(visit, waited(visit) + tookMs)
    }
  }

  return { leftMs: () => maxMs - waited(currentVisit()), counted }
}

/** Shorter waits are not worth adding up. */
const NOTED_MS = 10
