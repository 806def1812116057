import { Elysia } from 'elysia'
import { ROUTES as R } from '../spec/routes.ts'
import type { Swap } from '../swap/swap.ts'
import { type Entrance, reading } from './verbs.ts'

/** Swap quotes and what can be swapped; transfer status is with the routes that have no codes. */
export const swap = (parts: Entrance & { readonly swap: Swap }) =>
  new Elysia({ name: 'routes.swap' })
    .get(
      R.swapQuote.path,
      reading(parts, R.swapQuote, (query) => parts.swap.quote(query)),
    )
    .get(
      R.swapTokens.path,
      reading(parts, R.swapTokens, (query) => parts.swap.tokens(query)),
    )
    .get(
      R.swapChains.path,
      reading(parts, R.swapChains, () => parts.swap.chains()),
    )
