import { isAddress } from '../../core/hex.ts'
import { type Row, rowsAt } from '../../core/json.ts'
import { suggest } from '../../core/settings/suggest.ts'
import { toolRefusal } from '../refusal.ts'
import type { ToolContext } from '../tool.ts'
import { cleanedPayload } from '../untrusted-text.ts'

type SwapToken = { readonly address: string; readonly decimals: number; readonly symbol: string }

/** Reads the chains that swaps support. */
export async function readSwapChains({ client }: ToolContext): Promise<readonly Row[]> {
  return rowsAt(await client.get('/api/swap/chains'), 'rows')
}

const CHAIN_ID = /^[1-9][0-9]{0,15}$/

/**
 * Returns a function that looks up a chain's id by id or name. The list of chains is read once, and only for a name.
 * The function throws unsupported_chain with the nearest name, but does not suggest the call with that chain, because a
 * guess could send money to the wrong chain.
 */
export function chainLookUp(context: ToolContext) {
  let listed: Promise<readonly Row[]> | undefined
  return async (parameter: string, word: string): Promise<string> => {
    if (CHAIN_ID.test(word.trim())) return word.trim()
    listed ??= readSwapChains(context)
    return chainIdIn(await listed, parameter, word)
  }
}

function chainIdIn(all: readonly Row[], parameter: string, word: string): string {
  const isNamed = (row: Row) => String(row['name']).toLowerCase() === word.trim().toLowerCase()
  const [named, another] = all.filter(isNamed)
  if (named && !another) return String(named['chainId'])
  const near = suggest(
    word,
    all.map((row) => String(row['name'])),
  )
  throw toolRefusal('unsupported_chain', {
    parameter,
    reason: 'unknown_chain',
    ...(near !== undefined && { near: [near], next: ONLY_SIMILAR }),
  })
}

const ONLY_SIMILAR =
  'No chain has this name. The one in near only has a similar name: ask the user whether it is meant.'

const SHOWN_MAX = 10

type Asked = { readonly parameter: string; readonly chainId: string; readonly word: string }

/**
 * The token with an address, or with a symbol that is unique on the chain. Throws unsupported_token; if several tokens
 * have the symbol, the error lists their addresses.
 */
export async function tokenNamed(
  { client }: ToolContext,
  { parameter, chainId, word }: Asked,
): Promise<SwapToken> {
  const wanted = word.trim().toLowerCase()
  const field = isAddress(wanted) ? 'address' : 'symbol'
  const answer = await client.get('/api/swap/tokens', {
    chainId,
    search: word.trim(),
    limit: '500',
  })
  const all = rowsAt(answer, 'rows')
  const found = all.filter((row) => String(row[field]).toLowerCase() === wanted)
  const [only, another] = found
  if (only && !another)
    return {
      address: String(only['address']),
      decimals: Number(only['decimals']),
      symbol: String(only['symbol']),
    }
  const candidates = (another ? found : all).slice(0, SHOWN_MAX)
  throw toolRefusal('unsupported_token', {
    parameter,
    reason: another ? 'ambiguous' : 'unknown_token',
    candidates: candidates.map(({ symbol, address, priceUsd }) =>
      cleanedPayload({ symbol, address, priceUsd }),
    ),
    untrusted_text: true,
    next: another
      ? 'Anyone can name a token: ask the user which address is meant, and pass the address.'
      : 'Find the address with list_swap_tokens.',
  })
}
