import { isObject } from '../../core/json.ts'
import type { UpstreamResponse } from '../../core/ports.ts'
import { type DecimalRows, decimalRows, type RowShape } from '../../scrub/decimal-rows.ts'
import { acceptedPayload } from '../../wire/envelope.ts'

/** A read's `data` with some of its lists empty, and the rows of these. */
export type PlainRows = {
  readonly payload: Readonly<Record<string, unknown>>
  readonly lists: readonly DecimalRows[]
}

/**
 * Cuts the rows of the named lists of a read's `data` out of its text, where all are of one shape: they need be neither
 * parsed nor written again. Null for any other answer, and for lists in another order.
 */
export function plainRows(
  response: UpstreamResponse,
  names: readonly string[],
  shape: RowShape,
): PlainRows | null {
  const { body } = response
  const lists: DecimalRows[] = []
  let rest = ''
  let copied = 0
  for (const name of names) {
    const opening = `"${name}":[`
    const start = body.indexOf(opening, copied) + opening.length
    const rows = start < opening.length ? null : decimalRows(body, start, shape)
    if (!rows) return null
    lists.push(rows)
    rest += body.slice(copied, start)
    copied = start + rows.text.length
  }
  rest += body.slice(copied)
  const payload = acceptedPayload({ ...response, body: rest })
  return isObject(payload) && names.every((name) => isCut(name, rest, payload))
    ? { payload, lists }
    : null
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
