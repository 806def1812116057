import type { VenueRow } from './row.ts'

export type Route = { readonly row: VenueRow; readonly params: Readonly<Record<string, string>> }

/** Finds the row of a method and a path without its query; null when there is none. A literal path beats a template. */
export type Router = (method: string, path: string) => Route | null

/** Prepares a table of rows for look-ups. */
export function createRouter(rows: readonly VenueRow[]): Router {
  const literals = new Map<string, VenueRow>()
  const templates: { readonly row: VenueRow; readonly pattern: RegExp }[] = []
  for (const row of rows) {
    if (row.path.includes('{')) templates.push({ row, pattern: patternOf(row.path) })
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

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
}

function decoded(groups: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decode(text)]))
}

/** A malformed escape stays as it is: it matches nothing that exists. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
