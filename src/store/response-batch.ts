import { after } from '../core/loop/guarded.ts'
import type { StoredResponse } from '../core/ports.ts'

/** An answer on its way to the table. */
export type ResponseRow = {
  readonly key: string
  readonly body: Uint8Array
  readonly fetchedAtMs: number
  readonly expiresAtMs: number
}

/** Rows that wait to be written together: each page of the file then once. */
export type ResponseBatch = {
  /** Resolves when the row is written, or need not be: another took its place. Rejects with what writing threw. */
  readonly add: (row: ResponseRow) => Promise<void>
  readonly get: (key: string) => StoredResponse | undefined
  /** Writes what waits. */
  readonly write: () => void
  /** Forgets what waits. */
  readonly drop: () => void
}

/** As much is written without waiting longer, so that no batch takes long or holds much. */
const FULL = { rows: 256, bytes: 1024 * 1024 }

type Waiting = { readonly row: ResponseRow; readonly written: PromiseWithResolvers<void> }

/** Nothing waits yet. A row waits at most `waitMs`. */
export function createResponseBatch(
  waitMs: number,
  writeAll: (rows: readonly ResponseRow[]) => void,
): ResponseBatch {
  const waiting = new Map<string, Waiting>()
  let timer: Timer | undefined
  let bytes = 0

  function taken(): readonly Waiting[] {
    clearTimeout(timer)
    timer = undefined
    const batch = [...waiting.values()]
    waiting.clear()
    bytes = 0
    return batch
  }

  function write(): void {
    const batch = taken()
    if (batch.length === 0) return
    try {
      writeAll(batch.map(({ row }) => row))
      for (const { written } of batch) written.resolve()
    } catch (error) {
      for (const { written } of batch) written.reject(error)
    }
  }

  function add(row: ResponseRow): Promise<void> {
    const written = Promise.withResolvers<void>()
    waiting.get(row.key)?.written.resolve()
    waiting.set(row.key, { row, written })
    timer ??= after('store', waitMs, write).unref()
    bytes += row.body.byteLength
    if (waiting.size >= FULL.rows || bytes >= FULL.bytes) write()
    return written.promise
  }

  return {
    add,
    get: (key) => {
      const row = waiting.get(key)?.row
      return row && { bytes: row.body, fetchedAtMs: row.fetchedAtMs }
    },
    write,
    drop: () => {
      for (const { written } of taken()) written.resolve()
    },
  }
}
