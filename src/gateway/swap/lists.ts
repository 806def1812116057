import { ROUTES } from '../../contract/routes.ts'
import { SWAP_LIFETIMES, SWAP_LIMITS, SWAP_TOKENS_CLAMP } from '../../contract/swap.ts'
import type { SwapChainRow, SwapTokenRow } from '../../contract/swap-answers.ts'
import { invalidParameter } from '../../core/failure.ts'
import { clampedCount, optionalValue, type Query } from '../../core/query.ts'
import { type Answer, cachedAnswer } from '../cache/answer.ts'
import type { Served } from '../cache/cache.ts'
import type { Reply } from '../scrub/reply.ts'
import { requireProvider, type SwapAccess, swapReply } from './access.ts'
import { chainRow, matchingTokens, tokenRow } from './answers.ts'
import { assertServed, readChain } from './order.ts'
import { NATIVE_ADDRESS } from './provider.ts'

/** `{rows}`: the chains between which swaps are possible. Throws Failure. */
export async function swapChains(deps: SwapAccess): Promise<Answer> {
  return cachedAnswer(await readChainList(deps), SWAP_LIFETIMES.chains)
}

/**
 * `{rows, total}`: the tokens of a chain that match `search`, the native coin first, at most `limit` rows. Throws
 * Failure: invalid_request, unsupported_chain, or the failure that the provider answers.
 */
export async function swapTokens(deps: SwapAccess, query: Query): Promise<Answer> {
  const chainId = readChain(query, 'chainId')
  const search = readSearch(query)
  const limit = clampedCount(query, 'limit', SWAP_TOKENS_CLAMP)
  const { isServed } = await readServedChains(deps)
  assertServed(chainId, 'chainId', isServed)
  const list = await readTokenList(deps, chainId)
  const found = matchingTokens(tokensIn(list.reply), search)
  const reply = swapReply(deps, { rows: found.slice(0, limit), total: found.length })
  return cachedAnswer({ ...list, reply }, SWAP_LIFETIMES.tokens)
}

/** Returns a token from its chain's cached list; null if the list lacks it. */
export type KeptTokens = (place: Pick<SwapTokenRow, 'chainId' | 'address'>) => SwapTokenRow | null

/** Reads the cached token lists of some chains. Throws Failure. */
export async function readKeptTokens(
  deps: SwapAccess,
  chainIds: readonly number[],
): Promise<KeptTokens> {
  const lists = await Promise.all(
    [...new Set(chainIds)].map(
      async (chainId) =>
        [chainId, tokensByAddress((await readTokenList(deps, chainId)).reply)] as const,
    ),
  )
  const byChain = new Map(lists)
  return ({ chainId, address }) => byChain.get(chainId)?.get(address) ?? null
}

/** Reads the cached list of served chains. Throws Failure. */
export async function readServedChains(deps: SwapAccess) {
  const { reply } = await readChainList(deps)
  const chains = chainsIn(reply)
  return {
    isServed: (chainId: number): boolean => chains.has(chainId),
    /** The URL of a transaction in its chain’s explorer; null if the explorer is unknown. */
    linkOf: (chainId: number, txHash: string): string | null => {
      const explorer = chains.get(chainId)?.explorer
      return explorer ? `${explorer}/tx/${txHash}` : null
    },
  }
}

function readSearch(query: Query): string | undefined {
  const search = optionalValue(query, 'search')
  if (search !== undefined && search.length > SWAP_LIMITS.searchMaxChars)
    throw invalidParameter('search', 'too_long')
  return search
}

async function readChainList(deps: SwapAccess): Promise<Served> {
  const provider = requireProvider(deps)
  const key = `${ROUTES.swapChains.cacheKey}?at=${provider.origin}`
  return serveList(deps, key, 'chains', async () =>
    swapReply(deps, { rows: (await provider.chains()).map(chainRow) }),
  )
}

/** Reads the whole token list of a chain. Every search in the chain uses this list. */
async function readTokenList(deps: SwapAccess, chainId: number): Promise<Served> {
  const provider = requireProvider(deps)
  const key = `${ROUTES.swapTokens.cacheKey}?at=${provider.origin}&chainId=${chainId}`
  return serveList(deps, key, 'tokens', async () => {
    const rows = (await provider.tokens(chainId)).map(tokenRow)
    const [coins, others] = [rows.filter(isCoin), rows.filter((row) => !isCoin(row))]
    return swapReply(deps, { rows: [...coins, ...others] })
  })
}

function isCoin({ address }: SwapTokenRow): boolean {
  return address === NATIVE_ADDRESS
}

async function serveList(
  { cache }: SwapAccess,
  key: string,
  list: 'chains' | 'tokens',
  load: () => Promise<Reply>,
): Promise<Served> {
  const lifetime = SWAP_LIFETIMES[list]
  return (
    cache.peek(key, lifetime) ??
    (await cache.serve(key, lifetime, load, SWAP_LIMITS.listDeadlineMs))
  )
}

// Parsed lists. A cached list is the same Reply object for an hour, so this map saves a parse per request.
const CHAINS = new WeakMap<Reply, ReadonlyMap<number, SwapChainRow>>()
const TOKENS = new WeakMap<Reply, readonly SwapTokenRow[]>()
const TOKENS_BY_ADDRESS = new WeakMap<Reply, ReadonlyMap<string, SwapTokenRow>>()

function chainsIn(reply: Reply): ReadonlyMap<number, SwapChainRow> {
  const known = CHAINS.get(reply)
  if (known) return known
  const chains = new Map(parseOwnRows<SwapChainRow>(reply).map((row) => [row.chainId, row]))
  CHAINS.set(reply, chains)
  return chains
}

function tokensIn(reply: Reply): readonly SwapTokenRow[] {
  const known = TOKENS.get(reply)
  if (known) return known
  const rows = parseOwnRows<SwapTokenRow>(reply)
  TOKENS.set(reply, rows)
  return rows
}

function tokensByAddress(reply: Reply): ReadonlyMap<string, SwapTokenRow> {
  const known = TOKENS_BY_ADDRESS.get(reply)
  if (known) return known
  const rows = new Map(tokensIn(reply).map((row) => [row.address, row]))
  TOKENS_BY_ADDRESS.set(reply, rows)
  return rows
}

/** Parses the rows of a list. This file made the list, so the shape of its JSON is not checked. */
function parseOwnRows<Row>(reply: Reply): readonly Row[] {
  const { rows } = JSON.parse(reply.text()) as { readonly rows: readonly Row[] }
  return rows
}
