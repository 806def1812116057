import { after } from '../core/loop/guarded.ts'
import type { KeptResponse, Store, StoredResponse } from '../core/ports.ts'
import type { StoreTrouble } from './connection/errors.ts'
import type { Statements } from './connection/statements.ts'

/** Maximum size of the cached answers. The answers fetched longest ago are evicted first. */
export type ResponseBounds = {
  readonly rowsMax: number
  readonly bytesMax: number
  /** How long an answer waits for more answers. One batch then writes each page of the file once. */
  readonly batchMs: number
}

/** The cached answers, with the sweep that removes expired answers. */
export type ResponseTable = Store['responses'] & {
  readonly sweep: (nowMs: number, rowsMax: number) => number
  /** Writes the waiting answers. */
  readonly close: () => void
}

type Size = { readonly size: number }
type Totals = { readonly rows: number; readonly bytes: number }

/**
 * The table of answers. Totals are counted once and then kept up to date, which is safe because this process is the
 * only writer.
 */
export function responseTable(
  database: Statements,
  bounds: ResponseBounds,
  guard: StoreTrouble['guard'],
): ResponseTable {
  const statements = prepare(database)
  let totals = count()
  let isClosed = false

  function count(): Totals {
    return statements.totals.get() ?? { rows: 0, bytes: 0 }
  }

  function subtract(gone: readonly Size[]): number {
    const bytes = gone.reduce((sum, { size }) => sum + size, 0)
    totals = { rows: totals.rows - gone.length, bytes: totals.bytes - bytes }
    return gone.length
  }

  function replace(row: ResponseRow): void {
    subtract(statements.drop.all({ key: row.key }))
    statements.put.run(row)
    totals = { rows: totals.rows + 1, bytes: totals.bytes + row.body.byteLength }
    while (totals.rows > bounds.rowsMax || totals.bytes > bounds.bytesMax) {
      if (subtract(statements.dropOldest.all()) === 0) return
    }
  }

  const replaceAll = database.transaction((rows: readonly ResponseRow[]) => rows.forEach(replace))

  const batch = createResponseBatch(bounds.batchMs, (rows) => {
    try {
      guard(() => replaceAll(rows))
    } catch (error) {
      // The transaction was rolled back, for example because of a full disk. So the totals are counted again.
      totals = count()
      throw error
    }
  })

  // Ignores late calls after `close`, and oversized answers, which would evict everything.
  async function put(key: string, { bytes, fetchedAtMs }: StoredResponse, expiresAtMs: number) {
    if (isClosed || bytes.byteLength > bounds.bytesMax) return
    await batch.add({ key, body: bytes, fetchedAtMs, expiresAtMs })
  }

  return {
    get: async (key) => batch.get(key) ?? guard(() => statements.get.get({ key })),
    put,
    clear: async () => {
      guard(() => statements.clear.run())
      batch.drop()
      totals = { rows: 0, bytes: 0 }
    },
    list: async (prefix, rowsMax) => {
      batch.write()
      return guard(() => ({
        count: totals.rows,
        rows: statements.newest.all({ prefix, end: `${prefix}\u{10ffff}`, rowsMax }),
      }))
    },
    sweep: (nowMs, rowsMax) =>
      subtract(guard(() => statements.dropExpired.all({ nowMs, rowsMax }))),
    close: () => {
      batch.write()
      isClosed = true
    },
  }
}

function prepare(database: Statements) {
  return {
    totals: database.prepare<Totals, []>(
      'SELECT count(*) AS rows, coalesce(sum(length(bytes)), 0) AS bytes FROM responses',
    ),
    get: database.prepare<StoredResponse, [{ key: string }]>(
      'SELECT bytes, fetched_at_ms AS fetchedAtMs FROM responses WHERE key = $key',
    ),
    put: database.prepare<null, [ResponseRow]>(
      `INSERT INTO responses (key, bytes, fetched_at_ms, expires_at_ms)
       VALUES ($key, $body, $fetchedAtMs, $expiresAtMs)`,
    ),
    clear: database.prepare<null, []>('DELETE FROM responses'),
    drop: database.prepare<Size, [{ key: string }]>(
      'DELETE FROM responses WHERE key = $key RETURNING length(bytes) AS size',
    ),
    newest: database.prepare<KeptResponse, [{ prefix: string; end: string; rowsMax: number }]>(
      `SELECT key, length(bytes) AS sizeBytes, fetched_at_ms AS fetchedAtMs FROM responses
       WHERE key >= $prefix AND key < $end ORDER BY fetched_at_ms DESC LIMIT $rowsMax`,
    ),
    dropOldest: database.prepare<Size, []>(
      `DELETE FROM responses WHERE rowid =
         (SELECT rowid FROM responses ORDER BY fetched_at_ms, rowid LIMIT 1)
       RETURNING length(bytes) AS size`,
    ),
    dropExpired: database.prepare<Size, [{ nowMs: number; rowsMax: number }]>(
      `DELETE FROM responses WHERE rowid IN
         (SELECT rowid FROM responses WHERE expires_at_ms <= $nowMs ORDER BY expires_at_ms LIMIT $rowsMax)
       RETURNING length(bytes) AS size`,
    ),
  }
}

/** An answer that waits to be written. */
type ResponseRow = {
  readonly key: string
  readonly body: Uint8Array
  readonly fetchedAtMs: number
  readonly expiresAtMs: number
}

/** Rows that wait to be written together, so that each page of the file is written once. */
type ResponseBatch = {
  /** Resolves when the row is written or replaced by a newer row. Rejects with the error of the write. */
  readonly add: (row: ResponseRow) => Promise<void>
  readonly get: (key: string) => StoredResponse | undefined
  /** Writes the waiting rows. */
  readonly write: () => void
  /** Discards the waiting rows. */
  readonly drop: () => void
}

/** A batch of this size is written at once, which bounds its time and memory. */
const FULL = { rows: 256, bytes: 1024 * 1024 }

type Waiting = { readonly row: ResponseRow; readonly written: PromiseWithResolvers<void> }

/** An empty batch. A row waits at most `waitMs`. */
function createResponseBatch(
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
