import type { Policy } from '../spec/limits.ts'

/** Requests of one window that only this instance knows of; `firstMs` is when the first came. */
export type Pending = {
  readonly row: string
  readonly policy: Policy
  readonly count: number
  readonly firstMs: number
}

/** Windows that were asked here since the others were last told, with how many requests they admitted. */
export type PendingRows = {
  readonly add: (row: string, policy: Policy, admitted: boolean, nowMs: number) => void
  readonly takeAll: () => readonly Pending[]
  /** Takes back what could not be told, before what came since. */
  readonly putBack: (untold: readonly Pending[]) => void
  readonly countOf: (row: string) => number
  readonly drop: (row: string) => void
  /** When the first request came that has not been told; null where all have been. */
  readonly firstMs: () => number | null
}

type Row = Pending & { count: number }

/** Of at most so many windows: those of newcomers beyond are not told of. */
export function createPending(rowsMax: number): PendingRows {
  let rows = new Map<string, Row>()

  function put(said: Row): void {
    const known = rows.get(said.row)
    if (known) known.count += said.count
    else if (rows.size < rowsMax) rows.set(said.row, said)
  }

  function takeAll(): Pending[] {
    const taken = rows
    rows = new Map()
    return [...taken.values()]
  }

  function putBack(untold: readonly Pending[]): void {
    const since = rows
    rows = new Map()
    for (const said of untold) put({ ...said })
    for (const said of since.values()) put(said)
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
