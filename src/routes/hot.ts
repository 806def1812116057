import { admit } from '../gateway/admission.ts'
import { cached } from '../gateway/answer.ts'
import type { Deps } from '../gateway/deps.ts'
import { ROUTES, type Route } from '../spec/routes.ts'
import type { HotRead } from './front.ts'
import { toResponse } from './responses.ts'

/** Reads without parameters, by the key their verbs cache them under. */
const KEYS = {
  catalogue: 'route:catalogue',
  markets: 'route:markets',
  marketRules: 'route:market-rules',
  config: 'route:config',
  tokens: 'route:tokens',
  depositChains: 'route:deposit-chains',
  insuranceFund: 'route:insurance-fund',
} as const satisfies Partial<Record<keyof typeof ROUTES, string>>

/** Answers that are fresh in memory, straight from the front door: limited like any other, but not routed. */
export function hotReads(deps: Deps): ReadonlyMap<string, HotRead> {
  const rows: [string, HotRead][] = []
  for (const [id, key] of Object.entries(KEYS)) {
    const route: Route | undefined = Object.entries(ROUTES).find(([known]) => known === id)?.[1]
    if (route) rows.push([route.path, hotRead(deps, route, key)])
  }
  return new Map(rows)
}

function hotRead(deps: Deps, { policy, lifetime }: Route, key: string): HotRead {
  return (request, caller) => {
    if (!lifetime) return null
    const served = deps.cache.peek(key, lifetime)
    if (!served) return null
    admit(deps, policy, caller.limitKey)
    return toResponse(cached(served, lifetime), request.headers)
  }
}
