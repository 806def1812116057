import type { Policy } from '../../contract/limits.ts'
import { EngineAway } from '../../core/engines/health.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import type { Clock } from '../../core/ports.ts'
import { requestCost } from '../../gateway/limits/gcra.ts'
import type { Limiter } from '../../gateway/limits/limiter.ts'

/**
 * Requests of one window that this instance admitted and the engine has not counted yet. `sinceMs`: age of the first
 * request.
 */
export type AdmittedRequests = {
  readonly row: string
  readonly policy: Policy
  readonly count: number
  readonly sinceMs: number
}

/**
 * Adds admitted requests to the shared windows. Returns the debt of each window, in the order of `admitted`. Throws
 * EngineAway.
 */
export type PushAdmittedRequests = (
  admitted: readonly AdmittedRequests[],
) => Promise<readonly number[]>

type ReconcilerOptions = {
  readonly clock: Clock
  readonly limiter: Pick<Limiter, 'owe'>
  readonly pending: PendingRows
  readonly push: PushAdmittedRequests
  /** Maximum number of windows per push. */
  readonly keysMax: number
}

type Reconciler = {
  /** Pushes all pending requests in batches. Requests that could not be pushed stay pending. */
  readonly reconcile: () => Promise<void>
  /** Adopts the shared debt of one window. Throws EngineAway. */
  readonly look: (row: string, policy: Policy) => Promise<void>
}

/** Keeps the debts of this instance's windows equal to the shared debts. */
export function createReconciler({
  clock,
  limiter,
  pending,
  push,
  keysMax,
}: ReconcilerOptions): Reconciler {
  async function pushBatch(batch: readonly Pending[]): Promise<void> {
    const nowMs = clock.nowMs()
    const debts = await push(
      batch.map(({ row, policy, count, firstMs }) => {
        return { row, policy, count, sinceMs: nowMs - firstMs }
      }),
    )
    batch.forEach(({ row, policy }, at) => {
      // Adds the debt of requests that were admitted during the push.
      const since = pending.countOf(row) * requestCost(policy)
      limiter.owe(row, (debts[at] ?? 0) + since, policy)
    })
  }

  async function pushAll(): Promise<void> {
    const all = pending.takeAll()
    for (let at = 0; at < all.length; at += keysMax) {
      try {
        await pushBatch(all.slice(at, at + keysMax))
      } catch (error) {
        reportUnexpected('valkey', error, EngineAway)
        pending.putBack(all.slice(at))
        return
      }
    }
  }

  let pushing: Promise<void> | null = null

  return {
    reconcile: () => {
      pushing ??= pushAll().finally(() => {
        pushing = null
      })
      return pushing
    },
    look: (row, policy) => pushBatch([{ row, policy, count: 0, firstMs: clock.nowMs() }]),
  }
}

/** Requests of one window that only this instance has counted; `firstMs` is when the first arrived. */
type Pending = {
  readonly row: string
  readonly policy: Policy
  readonly count: number
  readonly firstMs: number
}

/** Windows charged on this instance since the last push, with the number of admitted requests. */
export type PendingRows = {
  readonly add: (row: string, policy: Policy, admitted: boolean, nowMs: number) => void
  readonly takeAll: () => readonly Pending[]
  /** Puts back requests that could not be pushed, ahead of newer requests. */
  readonly putBack: (unsent: readonly Pending[]) => void
  readonly countOf: (row: string) => number
  readonly drop: (row: string) => void
  /** The time at which the oldest pending request arrived; null without a pending request. */
  readonly firstMs: () => number | null
}

type Row = Pending & { count: number }

/** Holds pending requests of at most `rowsMax` windows. Requests of further windows count on this instance only. */
export function createPendingRows(rowsMax: number): PendingRows {
  let rows = new Map<string, Row>()

  function put(entry: Row): void {
    const known = rows.get(entry.row)
    if (known) known.count += entry.count
    else if (rows.size < rowsMax) rows.set(entry.row, entry)
  }

  function takeAll(): Pending[] {
    const taken = rows
    rows = new Map()
    return [...taken.values()]
  }

  function putBack(unsent: readonly Pending[]): void {
    const since = rows
    rows = new Map()
    for (const entry of unsent) put({ ...entry })
    for (const entry of since.values()) put(entry)
  }

  return {
    add: (row, policy, admitted, nowMs) => {
      const known = rows.get(row)
      if (known) known.count += Number(admitted)
      else put({ row, policy, count: Number(admitted), firstMs: nowMs })
    },
    takeAll,
    putBack,
    countOf: (row) => rows.get(row)?.count ?? 0,
    drop: (row) => void rows.delete(row),
    firstMs: () => rows.values().next().value?.firstMs ?? null,
  }
}
