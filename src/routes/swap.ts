import { Elysia } from 'elysia'
import { swapChains, swapTokens } from '../gateway/swap-lists.ts'
import { swapQuote } from '../gateway/swap-quote.ts'
import { ROUTES as R } from '../spec/routes.ts'
import { type RouteParts, reading } from './verbs.ts'

/** Swap quotes and what can be swapped; transfer status is with the routes that have no codes. */
export const swap = (parts: RouteParts) => {
  const { deps } = parts
  return new Elysia({ name: 'routes.swap' })
    .get(
      R.swapQuote.path,
      reading(parts, R.swapQuote, (query) => swapQuote(deps, query)),
    )
    .get(
      R.swapTokens.path,
      reading(parts, R.swapTokens, (query) => swapTokens(deps, query)),
    )
    .get(
      R.swapChains.path,
      reading(parts, R.swapChains, () => swapChains(deps)),
    )
}
