import { OPERATIONS } from '../../contract/operations.ts'
import { ROUTES, type Route } from '../../contract/routes.ts'
import type { Meter } from '../../core/observing/meter.ts'

/** Counts one answer of a route and its duration in ms. Null repeats the last duration. */
export type RouteMeter = (status: number, code: string, ms: number | null) => void

const OPERATION_PREFIX = ROUTES.operation.path.replace('{id}', '')

/** Path prefixes outside the table of routes, each with one common name. */
const OTHER_PREFIXES = [
  { prefix: OPERATION_PREFIX, name: 'operation' },
  { prefix: '/swagger', name: 'reference' },
  { prefix: '/docs', name: 'documents' },
  { prefix: '/trade', name: 'page' },
  { prefix: '/api/admin/', name: 'admin' },
] as const

/** The name of all other paths. One name for all keeps the number of metric series bounded. */
const UNKNOWN = 'unknown'

const NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.entries<Route>(ROUTES).map(([id, { path }]) => [path, id] as const),
  ...Object.keys(OPERATIONS).map((id) => [OPERATION_PREFIX + id, id] as const),
  ['/', 'page'],
  ['/favicon.svg', 'page'],
])

/** Every name that `routeName` can return. */
export const ROUTE_NAMES: ReadonlySet<string> = new Set([
  ...NAMES.values(),
  ...OTHER_PREFIXES.map(({ name }) => name),
  UNKNOWN,
])

/** The name of the route or operation at a path without its query: always from our tables, never the caller's text. */
export function routeName(path: string): string {
  return (
    NAMES.get(path) ?? OTHER_PREFIXES.find(({ prefix }) => path.startsWith(prefix))?.name ?? UNKNOWN
  )
}

/** Returns a function that finds or creates the meter of a route. */
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
  // Most answers of a route have the same series. That series is cached, since finding a series costs more than
  // counting.
  let usual: ReturnType<typeof createSeries> | null = null

  return (status, code, ms) => {
    if (status === 200) usual ??= createSeries(code, status)
    const { count, time } = status === 200 && usual ? usual : createSeries(code, status)
    count.add()
    if (ms === null) time.again()
    else time.observe(ms / 1000)
  }
}
