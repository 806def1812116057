import { NOTIFY_LIMITS } from '../../contract/operator/notify.ts'
import { Failure } from '../../core/failure.ts'
import { expected } from '../../core/loop/guarded.ts'
import type { EntityStore } from '../../core/ports.ts'

const KIND = 'start'
const { starts: STARTS_MIN, withinMs: WITHIN_MS } = NOTIFY_LIMITS.crashLoop

/** The starts of a process whose ends were not stops. */
export type Starts = {
  /** How many there were lately, as a sentence, where they are a crash loop; else null. */
  readonly trouble: (nowMs: number) => string | null
  /** Notes that this process was stopped. */
  readonly stopped: () => void
}

/** Notes a start in the store, where it stays unless the process is stopped. */
export function noteStart(store: EntityStore, nowMs: number): Starts {
  const isLate = (ms: number, atMs: number) => ms <= atMs && atMs - ms < WITHIN_MS
  const before = [...store.load(KIND)].map(({ key }) => Number(key))
  const crashed = before.filter((ms) => isLate(ms, nowMs))
  const forgotten = before.filter((ms) => !isLate(ms, nowMs))

  function commit(ms: readonly number[], json: string | null): void {
    try {
      store.commit(ms.map((each) => ({ kind: KIND, key: String(each), json })))
    } catch (error) {
      expected('process', error, Failure)
    }
  }

  commit(forgotten, null)
  commit([nowMs], 'true')
  return {
    trouble: (atMs) => {
      const count = crashed.filter((ms) => isLate(ms, atMs)).length
      if (count < STARTS_MIN) return null
      return `${count} starts within ${WITHIN_MS / 60_000} minutes ended without a stop; this one is of ${new Date(nowMs).toISOString()}.`
    },
    stopped: () => commit([nowMs], null),
  }
}
