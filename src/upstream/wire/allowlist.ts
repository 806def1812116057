import { RELAY_PATHS, type RelayPath } from '../../contract/allowlist.ts'
import { SYMBOL_PATTERN } from '../../contract/market/symbols.ts'
import { isPlainPath } from '../../core/base-url.ts'
import { Failure } from '../../core/failure.ts'

export type RelayMatch = {
  /** The path template of the matching row, for logs and metrics. */
  readonly template: string
  /** Whether the request is a write. A write is sent at most once. */
  readonly writes: boolean
  /** Whether the request cancels orders. A cancel counts against the cancel window. */
  readonly cancels: boolean
}

type Row = Pick<RelayPath, 'family' | 'path' | 'methods'>

/**
 * Matches a signed path and its query against the whole patterns of the allowlist. Only GET and DELETE may have a
 * query. URL parsers leave a matching path unchanged, so the venue receives the signed bytes. Throws Failure forbidden
 * for everything else, with the path or the method as the parameter.
 */
export function matchRelay(method: string, path: string): RelayMatch {
  const mark = path.indexOf('?')
  const pathname = mark < 0 ? path : path.slice(0, mark)
  const row = EXACT.get(pathname) ?? templated(pathname)
  if (!row) throw notRelayed('path')
  if (!row.methods.some((allowed) => allowed === method))
    throw notRelayed('method', row.methods.join(' or '))
  if (mark >= 0 && !mayHaveQuery(method, path.slice(mark + 1)))
    throw notRelayed('path', QUERY_EXPECTED)
  if (!isPlainPath(path) && !isUnchangedByParsing(path)) throw notRelayed('path')
  return {
    template: row.path,
    writes: method !== 'GET',
    cancels: method === 'DELETE' && row.family === 'orders',
  }
}

function notRelayed(parameter: 'path' | 'method', expected?: string): Failure {
  const meta = { parameter, reason: 'not_relayed' } as const
  return new Failure('forbidden', { ...meta, ...(expected !== undefined && { expected }) })
}

const SEGMENTS = {
  '{id}': /^[0-9]{1,20}$/,
  '{symbol}': SYMBOL_PATTERN,
} as const

type Template = { readonly row: Row; readonly segment: RegExp }

const EXACT: ReadonlyMap<string, Row> = new Map(RELAY_PATHS.flatMap(exactRows))

const TEMPLATES: ReadonlyMap<string, Template> = new Map(RELAY_PATHS.flatMap(templates))

function exactRows(row: RelayPath): readonly (readonly [string, Row])[] {
  if (!row.path.endsWith('}')) return [[row.path, row]]
  return Object.entries(row.words ?? {}).map(
    ([word, methods]) => [pathPrefix(row.path) + word, { ...row, methods }] as const,
  )
}

function templates(row: RelayPath): readonly (readonly [string, Template])[] {
  return Object.entries(SEGMENTS)
    .filter(([placeholder]) => row.path.endsWith(placeholder))
    .map(([, segment]) => [pathPrefix(row.path), { row, segment }] as const)
}

function templated(pathname: string): Row | undefined {
  const prefix = pathPrefix(pathname)
  const template = TEMPLATES.get(prefix)
  return template?.segment.test(pathname.slice(prefix.length)) ? template.row : undefined
}

function pathPrefix(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

// The query characters of RFC 3986, without a second `?` and without `'`, which URL parsers rewrite.
const QUERY = /^(?:[A-Za-z0-9\-._~!$&()*+,;=:@/]|%[0-9A-Fa-f]{2})+$/

const QUERY_EXPECTED =
  'no query, or on GET and DELETE one without a quote or a second question mark'

function mayHaveQuery(method: string, query: string): boolean {
  return (method === 'GET' || method === 'DELETE') && QUERY.test(query)
}

// The patterns above already imply this; the check protects against rows that are added later.
function isUnchangedByParsing(path: string): boolean {
  const url = new URL(path, 'https://x.invalid')
  return url.pathname + url.search === path
}
