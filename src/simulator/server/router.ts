import { uriDecoded } from '../../core/query.ts'
import type { VenueRow } from '../messages/row.ts'

type Routed = { readonly method: string; readonly path: string }

export type VenueRoute<Row extends Routed = VenueRow> = {
  readonly row: Row
  readonly params: Readonly<Record<string, string>>
}

/** Finds the endpoint for a method and a path without its query; null if unknown. A literal path beats a template. */
export type Router<Row extends Routed = VenueRow> = (
  method: string,
  path: string,
) => VenueRoute<Row> | null

/** Prepares a table of endpoints for searches. */
export function createRouter<Row extends Routed>(rows: readonly Row[]): Router<Row> {
  const literals = new Map<string, Row>()
  const templates: { readonly row: Row; readonly pattern: RegExp }[] = []
  for (const row of rows) {
    if (row.path.includes('{')) templates.push({ row, pattern: pathPattern(row.path) })
    else literals.set(`${row.method} ${row.path}`, row)
  }
  return (method, path) => {
    const literal = literals.get(`${method} ${path}`)
    if (literal) return { row: literal, params: {} }
    for (const { row, pattern } of templates) {
      const groups = row.method === method && pattern.exec(path)?.groups
      if (groups) return { row, params: decoded(groups) }
    }
    return null
  }
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
}

function decoded(groups: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decode(text)]))
}

/** A malformed escape stays as it is, and no path matches it. */
function decode(text: string): string {
  return uriDecoded(text) ?? text
}
