import type { Query } from '../../core/query.ts'
import type { Answer } from '../cache/answer.ts'
import { createSingleFlight } from '../cache/single-flight.ts'
import type { Reply } from '../scrub/reply.ts'
import type { SwapAccess } from './access.ts'
import { swapChains, swapTokens } from './lists.ts'
import { swapQuote } from './quote.ts'
import { swapStatus } from './status.ts'

/** The swap product for the routes. Each verb throws Failure; not_configured if no swap upstream is configured. */
export type Swap = {
  readonly quote: (query: Query) => Promise<Answer>
  readonly tokens: (query: Query) => Promise<Answer>
  readonly chains: () => Promise<Answer>
  readonly status: (query: Query) => Promise<Answer>
}

/** Creates the swap verbs. The provider may be null. */
export function createSwap(parts: Omit<SwapAccess, 'quotes'>): Swap {
  const deps = { ...parts, quotes: createSingleFlight<Reply>(() => undefined) }
  return {
    quote: (query) => swapQuote(deps, query),
    tokens: (query) => swapTokens(deps, query),
    chains: () => swapChains(deps),
    status: (query) => swapStatus(deps, query),
  }
}
