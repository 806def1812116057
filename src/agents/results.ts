import { LIMITS } from '../contract/limits.ts'
import { Failure } from '../core/failure.ts'
import { isObject } from '../core/json.ts'
import { ClientFailure } from './client/client.ts'
import { toolRefusal, toToolFailure } from './refusal.ts'
import { ToolFailure } from './tool.ts'

/** The result of a tool call: one text part of compact JSON. */
export type ToolResult = {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }]
  readonly isError?: true
}

/** The result of a tool that succeeded. Throws ToolFailure payload_too_large. */
export function toToolResult(value: unknown): ToolResult {
  const text = JSON.stringify(value ?? {})
  const maxBytes = LIMITS.toolResultMaxBytes
  if (Buffer.byteLength(text) > maxBytes) {
    throw toolRefusal('payload_too_large', { maxBytes, next: 'Ask for less at once.' })
  }
  return { content: [{ type: 'text', text }] }
}

/** The result of a failed tool: `{error, code, retryable, meta}`. An unexpected error becomes `internal`, without details. */
export function failureResult(failure: unknown): ToolResult {
  const { message, code, retryable, meta } = toToolFailure(failure)
  const body = { error: message, code, retryable, ...(Object.keys(meta).length > 0 && { meta }) }
  return { content: [{ type: 'text', text: JSON.stringify(body) }], isError: true }
}

/** Whether an error is of a type that tools may throw. */
export function isExpected(error: unknown): error is ToolFailure | ClientFailure | Failure {
  return error instanceof ToolFailure || error instanceof ClientFailure || error instanceof Failure
}

/** Maximum bytes of the rows in a result, which leaves room for its other members. */
const ROWS_MAX_BYTES = LIMITS.toolResultMaxBytes - LIMITS.toolResultFrameBytes

type CutRows = {
  /** The answer's key for the rows. */
  readonly rows: string
  readonly rowsMax?: number
  /** The total number of rows, if the service reports it. */
  readonly total?: number
  /** Whether this is the last page. */
  readonly isLast?: boolean
  /** The hint that says how to read the rows that were cut off. */
  readonly more: string
  /** The end of the list to keep: `last` for candles, which are oldest first. */
  readonly keep?: 'first' | 'last'
}

/**
 * Builds `{[rows]: […], shown, total?, more?}`: the requested rows that fit. `more` says how to read the remaining
 * rows.
 */
export function listAnswer(all: readonly unknown[], cut: CutRows): Record<string, unknown> {
  const { rows, more, keep = 'first', total = all.length, isLast = false } = cut
  const asked = keptItems(all, Math.min(all.length, cut.rowsMax ?? all.length), keep)
  const kept = keptItems(asked, fittingCount(asked, keep), keep)
  const answer = { [rows]: kept, shown: kept.length, total }
  if (kept.length < asked.length) return { ...answer, truncated: true, more }
  return kept.length < total && !isLast ? { ...answer, more } : answer
}

type Page = Pick<CutRows, 'rows'> & {
  readonly page: number
  readonly size: number
  readonly total: number
  /** Number of older rows that the venue no longer stores. */
  readonly dropped?: number
  readonly more?: string
}

/** One page of a list, with how to read the next page and the number of older rows that are no longer stored. */
export function pageAnswer(
  all: readonly unknown[],
  { rows, page, size, total, dropped = 0, more = `Pass page=${page + 1}.` }: Page,
) {
  const isLast = page * size >= total
  const list = listAnswer(all, { rows, rowsMax: size, total, isLast, more })
  return { ...list, page, ...(dropped > 0 && { dropped }) }
}

/** Default maximum number of rows per list in a payload. */
const ROWS_DEFAULT = 64

/**
 * A payload whose lists are cut to `rowsMax` rows, and further until the payload fits into a result. Without `rowsMax`,
 * the payload is cut to `toolPayloadDefaultBytes`, but each list keeps at least one row. `keep: 'last'` is for lists
 * that are oldest first.
 */
export function trimmedPayload(
  payload: unknown,
  rowsMax?: number,
  keep: 'first' | 'last' = 'first',
): { value: unknown; cut: boolean } {
  const bytesMax = rowsMax === undefined ? LIMITS.toolPayloadDefaultBytes : ROWS_MAX_BYTES
  let one: unknown = null
  for (
    let rows = rowsMax ?? ROWS_DEFAULT;
    rows >= 1;
    rows = rows > 8 ? Math.floor(rows / 2) : rows - 1
  ) {
    const value = shortenedLists(payload, rows, keep)
    const bytes = jsonBytes(value)
    if (bytes <= bytesMax) return { value, cut: bytes < jsonBytes(payload) }
    if (bytes <= ROWS_MAX_BYTES) one = value
  }
  return { value: one, cut: true }
}

function shortenedLists(value: unknown, rows: number, keep: 'first' | 'last'): unknown {
  if (Array.isArray(value)) {
    return keptItems(value, Math.min(rows, value.length), keep).map((item) =>
      shortenedLists(item, rows, keep),
    )
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, Math.max(rows, KEYS_MIN))
      .map(([name, item]) => [name, shortenedLists(item, rows, keep)]),
  )
}

/** An object with at least this many keys is treated as a list, because a row has fewer fields. */
const KEYS_MIN = 64

function keptItems(list: readonly unknown[], count: number, keep: 'first' | 'last') {
  return keep === 'first' ? list.slice(0, count) : list.slice(list.length - count)
}

function fittingCount(list: readonly unknown[], keep: 'first' | 'last'): number {
  let bytes = 0
  let count = 0
  for (const row of keep === 'first' ? list : list.toReversed()) {
    bytes += jsonBytes(row) + 1
    if (bytes > ROWS_MAX_BYTES) return count
    count += 1
  }
  return count
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}
