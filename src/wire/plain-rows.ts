import { isObject } from '../core/json.ts'
import { COMMA, endsArray } from '../core/json-scan.ts'
import type { UpstreamResponse } from '../core/ports.ts'
import { acceptedPayload } from './envelope.ts'

/** Where the rows of a list stand in a text: the first at `start`, each up to its end, one character between two. */
export type PlainList = { readonly start: number; readonly ends: readonly number[] }

/** A read's `data` with some of its lists empty, and where their rows stand in the answer's text. */
export type PlainRows = {
  readonly payload: Readonly<Record<string, unknown>>
  readonly lists: readonly PlainList[]
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
  const lists: PlainList[] = []
  let rest = ''
  let copied = 0
  for (const name of names) {
    const opening = `"${name}":[`
    const start = body.indexOf(opening, copied) + opening.length
    const ends = start < opening.length ? null : rowEnds(body, start, row)
    if (!ends) return null
    lists.push({ start, ends })
    rest += body.slice(copied, start)
    copied = ends.at(-1) ?? start
  }
  rest += body.slice(copied)
  const payload = acceptedPayload({ ...response, body: rest })
  return isObject(payload) && names.every((name) => isCut(name, rest, payload))
    ? { payload, lists }
    : null
}

/** The text of a list's rows, without its brackets. */
export function rowsText(text: string, { start, ends }: PlainList): string {
  return text.slice(start, ends.at(-1) ?? start)
}

/** Where the rows up to the end of their list end; null where one of them is not as expected. */
function rowEnds(text: string, from: number, row: RegExp): readonly number[] | null {
  const ends: number[] = []
  if (endsArray(text.charCodeAt(from))) return ends
  row.lastIndex = from
  while (row.test(text)) {
    const end = row.lastIndex
    ends.push(end)
    const after = text.charCodeAt(end)
    if (endsArray(after)) return ends
    if (after !== COMMA) return null
    row.lastIndex = end + 1
  }
  return null
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
