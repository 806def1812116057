import { NOTIFY_LIMITS } from '../../contract/operator/notify.ts'
import { Failure } from '../../core/failure.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import type { EntityStore } from '../../core/ports.ts'

const KIND = 'start'
const { starts: STARTS_MIN, withinMs: WITHIN_MS } = NOTIFY_LIMITS.crashLoop

/** Records starts, to detect a process that ends repeatedly without a regular stop. */
export type Starts = {
  /** A sentence with the number of recent starts if they are a crash loop; otherwise null. */
  readonly trouble: (nowMs: number) => string | null
  /** Records that this process stops regularly. */
  readonly stopped: () => void
}

/** Records this start in the store. A regular stop removes the record. */
export function noteStart(store: EntityStore, nowMs: number): Starts {
  const isLate = (ms: number, atMs: number) => ms <= atMs && atMs - ms < WITHIN_MS
  const before = [...store.load(KIND)].map(({ key }) => Number(key))
  const crashed = before.filter((ms) => isLate(ms, nowMs))
  const forgotten = before.filter((ms) => !isLate(ms, nowMs))

  function commit(ms: readonly number[], json: string | null): void {
    try {
      store.commit(ms.map((each) => ({ kind: KIND, key: String(each), json })))
    } catch (error) {
      reportUnexpected('process', error, Failure)
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
