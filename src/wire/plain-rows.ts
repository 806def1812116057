import { isObject, type Span } from '../core/json.ts'
import { COMMA, endsArray } from '../core/json-scan.ts'
import type { UpstreamResponse } from '../core/ports.ts'
import { acceptedPayload } from './envelope.ts'

/** A read's `data` with some of its lists empty, and where the rows of each of them stand in the answer's text. */
export type PlainRows = {
  readonly payload: Readonly<Record<string, unknown>>
  readonly lists: readonly (readonly Span[])[]
}

/**
 * Finds the rows of the named lists of a read's `data`, where each is what the sticky pattern `row` matches, a whole
 * JSON value: what is proven by its text need be neither parsed nor written again. Null for any other answer, and for
 * lists in another order.
 */
export function plainRows(
  response: UpstreamResponse,
  names: readonly string[],
  row: RegExp,
): PlainRows | null {
  const { body } = response
  const lists: (readonly Span[])[] = []
  let rest = ''
  let copied = 0
  for (const name of names) {
    const opening = `"${name}":[`
    const from = body.indexOf(opening, copied) + opening.length
    const spans = from < opening.length ? null : rowsFrom(body, from, row)
    if (!spans) return null
    lists.push(spans)
    rest += body.slice(copied, from)
    copied = spans.at(-1)?.end ?? from
  }
  rest += body.slice(copied)
  const payload = acceptedPayload({ ...response, body: rest })
  return isObject(payload) && names.every((name) => isCut(name, rest, payload))
    ? { payload, lists }
    : null
}

/** The rows up to the end of their list; null where one of them is not as expected. */
function rowsFrom(text: string, from: number, row: RegExp): readonly Span[] | null {
  const spans: Span[] = []
  if (endsArray(text.charCodeAt(from))) return spans
  for (let start = from; ; ) {
    row.lastIndex = start
    if (!row.test(text)) return null
    const end = row.lastIndex
    spans.push({ start, end })
    const after = text.charCodeAt(end)
    if (endsArray(after)) return spans
    if (after !== COMMA) return null
    start = end + 1
  }
}

/** Whether the list of that name that was found is the payload's own: the only one, spelled without escapes. */
function isCut(name: string, rest: string, payload: Readonly<Record<string, unknown>>): boolean {
  const list = payload[name]
  const key = `"${name}"`
  return (
    Array.isArray(list) &&
    list.length === 0 &&
    rest.indexOf(key) === rest.lastIndexOf(key) &&
    !rest.includes('\\')
  )
}
