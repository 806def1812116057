import { Elysia } from 'elysia'
import type { Gateway } from '../gateway/gateway.ts'
import { ROUTES, type Route } from '../spec/routes.ts'
import type { Swap } from '../swap/swap.ts'
import type { Vouchers } from '../voucher/voucher.ts'
import { account } from './account.ts'
import { type AgentParts, agent } from './agent/agent.ts'
import { discovery } from './discovery.ts'
import { docs } from './docs/docs.ts'
import type { PracticeDeps } from './docs/practice.ts'
import { unknownRoute } from './http/explained.ts'
import { type FailedParts, failedResponse } from './http/failed.ts'
import { failureResponse, methodNotAllowed } from './http/responses.ts'
import { legacy } from './legacy.ts'
import { market } from './market.ts'
import type { ActsParts } from './operator/acts.ts'
import { operator } from './operator/operator.ts'
import { type WordParts, words } from './operator/words.ts'
import { page } from './page.ts'
import type { PageWords } from './pages/bundle.ts'
import { referral } from './referral.ts'
import { type RelayParts, relay } from './relay.ts'
import { type StreamParts, stream } from './stream.ts'
import { swap } from './swap.ts'

/** The table of contents: failures first, because hooks reach only what follows them, then the families. */
export const app = (
  parts: AgentParts &
    FailedParts &
    StreamParts & {
      readonly deps: Gateway
      readonly swap: Swap
      readonly vouchers: Vouchers
      /** Null without an operator key. */
      readonly acts: ActsParts | null
      readonly tellVenue: WordParts['tellVenue']
      readonly version: string
      /** What the reference page practises with; null on a live venue. */
      readonly practice: PracticeDeps | null
      /** Null where the trading page is off. */
      readonly page: PageWords | null
      readonly onWrite: RelayParts['onWrite']
    },
) =>
  new Elysia({ name: 'routes.app', strictPath: true, aot: true })
    .onError({ as: 'global' }, ({ code, error, request, set }) => {
      // The response says its own status; with another here, the router would answer a copy of it.
      set.status = 200
      return code === 'NOT_FOUND'
        ? failureResponse(unknownRoute(request))
        : failedResponse(parts, error, request)
    })
    .onBeforeHandle({ as: 'global' }, ({ params, request }) => {
      if (isUnreadable(params)) throw unknownRoute(request)
    })
    .use(discovery(parts))
    .use(account(parts))
    .use(relay(parts))
    .use(market(parts))
    .use(stream(parts))
    .use(agent(parts))
    .use(referral(parts))
    .use(swap(parts))
    .use(legacy(parts))
    .use(operator(parts))
    .use(words(parts))
    .use(docs({ ...parts, serviceName: parts.deps.operator.serviceName }))
    .use(page(parts))
    .use(otherMethods())

// The router passes a parameter whose escapes are not UTF-8 as null.
function isUnreadable(params: Readonly<Record<string, unknown>> | undefined): boolean {
  for (const name in params) if (params[name] === null) return true
  return false
}

// A known path asked with a method it does not have is 405, not 404.
const otherMethods = () => {
  const plugin = new Elysia({ name: 'routes.other-methods' })
  const routes: Route[] = Object.values(ROUTES)
  for (const route of routes.filter(({ failures }) => !failures)) {
    const allow = route.method === 'GET' ? 'GET, HEAD' : route.method
    plugin.all(route.path.replace('{id}', ':id'), () => {
      throw methodNotAllowed(allow)
    })
  }
  return plugin
}
