import { OPERATIONS } from '../../contract/operations.ts'
import { ROUTES, type Route } from '../../contract/routes.ts'
import type { Meter } from '../../core/observing/meter.ts'

/** Counts one answer of a route and its duration; null repeats the last duration. */
export type RouteMeter = (status: number, code: string, ms: number | null) => void

const OPERATION_PREFIX = ROUTES.operation.path.replace('{id}', '')

/** Groups of paths outside the table of routes, by prefix. */
const OTHERS = [
  { prefix: OPERATION_PREFIX, name: 'operation' },
  { prefix: '/swagger', name: 'reference' },
  { prefix: '/docs', name: 'documents' },
  { prefix: '/trade', name: 'page' },
  { prefix: '/api/admin/', name: 'admin' },
] as const

/** The common name of all other paths, which bounds the number of names. */
const UNKNOWN = 'unknown'

const NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.entries<Route>(ROUTES).map(([id, { path }]) => [path, id] as const),
  ...Object.keys(OPERATIONS).map((id) => [OPERATION_PREFIX + id, id] as const),
  ['/', 'page'],
  ['/favicon.svg', 'page'],
])

/** Every result of `routeName`. */
export const ROUTE_NAMES: ReadonlySet<string> = new Set([
  ...NAMES.values(),
  ...OTHERS.map(({ name }) => name),
  UNKNOWN,
])

/** The route or operation of a path without its query: always a name of our tables, whatever the caller sent. */
export function routeName(path: string): string {
  return NAMES.get(path) ?? OTHERS.find(({ prefix }) => path.startsWith(prefix))?.name ?? UNKNOWN
}

/** The meter of each route by its name. */
export function routeMeters(meter: Meter): (route: string) => RouteMeter {
  const known = new Map<string, RouteMeter>()
  return (route) => {
    const found = known.get(route)
    if (found) return found
    const made = routeMeter(meter, route)
    known.set(route, made)
    return made
  }
}

function routeMeter(meter: Meter, route: string): RouteMeter {
  const createSeries = (code: string, status: number) => ({
    count: meter.counter('prepd_requests_total', route, code, String(status)),
    time: meter.histogram('prepd_request_duration_seconds', route, code),
  })
  // Cached, since looking up a series costs more than counting, and nearly every answer has this one.
  let usual: ReturnType<typeof createSeries> | null = null

  return (status, code, ms) => {
    if (status === 200) usual ??= createSeries(code, status)
    const { count, time } = status === 200 && usual ? usual : createSeries(code, status)
    count.add()
    if (ms === null) time.again()
    else time.observe(ms / 1000)
  }
}
