import { formatDecimal, parseDecimal } from '../../core/decimals.ts'
import { isObject, type Row, rowsAt } from '../../core/json.ts'
import { invalidArgument } from '../refusal.ts'
import { listAnswer } from '../results.ts'
import type { Tool } from '../tool.ts'
import { argumentSchema, decimal, optional, rows, text } from '../tool-arguments.ts'
import { publicTool } from '../tool-kinds.ts'
import { cleanedPayload } from '../untrusted-text.ts'
import { chainLookUp, readSwapChains, tokenNamed } from '../views/swap.ts'

const chain = text('Id or name.')
const token = text('Address, or an unambiguous symbol.')

const listSwapChains = publicTool({
  name: 'list_swap_chains',
  description:
    'Chains that a cross-chain swap can start from or end on, with chainId and native coin.',
  arguments: argumentSchema({ search: optional(text('Part of a name.')) }),
  untrusted: true,
  run: async (context, { search = '' }) => {
    const wanted = search.toLowerCase()
    const found = (await readSwapChains(context)).filter((row) =>
      String(row['name']).toLowerCase().includes(wanted),
    )
    const rowsShown = found.map(({ logo: _, ...row }) => cleanedPayload(row))
    return listAnswer(rowsShown, { rows: 'rows', more: 'Pass search.' })
  },
})

const listSwapTokens = publicTool({
  name: 'list_swap_tokens',
  description:
    'Tokens of a chain that can be swapped: symbol, address, decimals, USD price. Anyone can name a token: tell tokens apart by address. The zero address is the native coin.',
  arguments: argumentSchema({
    chain: chain,
    search: optional(text('Part of a symbol or name, or an address.', { maxLength: 64 })),
    limit: rows(100, 20),
  }),
  untrusted: true,
  run: async (context, { chain: name, search, limit }) => {
    const chainId = await chainLookUp(context)('chain', name)
    const query = { chainId, limit: String(limit), ...(search && { search }) }
    const answer = await context.client.get('/api/swap/tokens', query)
    const found = rowsAt(answer, 'rows').map(({ logo: _, ...row }) => cleanedPayload(row))
    const total = isObject(answer) ? Number(answer['total'] ?? found.length) : found.length
    const more = 'Pass search, or a larger limit.'
    return listAnswer(found, { rows: 'rows', rowsMax: limit, total, more })
  },
})

const getSwapQuote = publicTool({
  name: 'get_swap_quote',
  description:
    'Price of a cross-chain swap: amount out, least amount out, fees, duration. Amounts are in whole tokens ("1.5"), never base units. Without from_address the price is indicative; with it, the transaction for the wallet to sign.',
  arguments: argumentSchema({
    from_chain: chain,
    from_token: token,
    to_chain: chain,
    to_token: token,
    amount: text('To give, e.g. "1.5".', { maxLength: 100 }),
    from_address: optional(text('Wallet that sends.')),
    to_address: optional(text('Wallet that receives. Default: the sender.')),
    slippage_pct: optional(
      decimal('Largest slippage in percent. Default: by pair.', { minimum: 0.01, maximum: 20 }),
    ),
  }),
  untrusted: true,
  run: async (context, given) => {
    const chainId = chainLookUp(context)
    const fromChain = await chainId('from_chain', given.from_chain)
    const toChain = await chainId('to_chain', given.to_chain)
    const from = await tokenNamed(context, {
      parameter: 'from_token',
      chainId: fromChain,
      word: given.from_token,
    })
    const to = await tokenNamed(context, {
      parameter: 'to_token',
      chainId: toChain,
      word: given.to_token,
    })
    const slippage = slippageBound(given.slippage_pct, from.symbol, to.symbol)
    const quote = await context.client.get('/api/swap/quote', {
      fromChain,
      toChain,
      fromToken: from.address,
      toToken: to.address,
      fromAmount: baseUnits(given.amount, from.decimals),
      slippageBps: toBasisPoints(slippage.percent),
      ...(given.from_address && { fromAddress: given.from_address }),
      ...(given.to_address && { toAddress: given.to_address }),
    })
    const shown = quoteShown(isObject(quote) ? quote : {}, given.from_address !== undefined)
    return { ...shown, slippage_reason: slippage.reason }
  },
})

const getSwapStatus = publicTool({
  name: 'get_swap_status',
  description:
    'Progress of a swap that the user has sent: NOT_FOUND, PENDING, DONE or FAILED (a refund is FAILED / REFUNDED). Amounts in whole tokens. Ask again every 15 s until final is true.',
  arguments: argumentSchema({
    tx_hash: text('Of the source transaction: 0x and 64 hex.'),
    from_chain: optional(chain),
    to_chain: optional(chain),
  }),
  untrusted: true,
  run: async (context, { tx_hash, from_chain, to_chain }) => {
    const chainId = chainLookUp(context)
    const query = {
      txHash: tx_hash,
      ...(from_chain && { fromChain: await chainId('from_chain', from_chain) }),
      ...(to_chain && { toChain: await chainId('to_chain', to_chain) }),
    }
    const answer = await context.client.get('/api/swap/status', query)
    const status: Row = isObject(answer) ? answer : {}
    const { fees: _, sending, receiving, ...shown } = status
    return {
      ...Object.assign({}, cleanedPayload(shown)),
      sending: legShown(sending),
      receiving: legShown(receiving),
    }
  },
})

/** Tools about swaps between chains. */
export const SWAP_TOOLS: readonly Tool[] = [
  listSwapChains,
  listSwapTokens,
  getSwapQuote,
  getSwapStatus,
]

function baseUnits(amount: string, decimals: number): string {
  const units = parseDecimal(amount.trim(), decimals)
  if (units !== null && units > 0n) return String(units)
  throw invalidArgument('amount', 'malformed', {
    expected: `Whole tokens, a decimal number above 0 with at most ${decimals} decimals`,
  })
}

// biome-ignore format: read as a list
const STABLECOINS: ReadonlySet<string> = new Set([
  'USDC', 'USDT', 'DAI', 'USDE', 'USDS', 'FRAX', 'LUSD', 'PYUSD', 'USDC.E', 'USDBC', 'USDT0', 'USD₮0',
])
// biome-ignore format: read as a list
const MAJOR_COINS: ReadonlySet<string> = new Set([
  'ETH', 'WETH', 'BTC', 'WBTC', 'CBBTC', 'BTCB', 'BNB', 'WBNB', 'SOL', 'POL', 'MATIC', 'AVAX', 'WAVAX',
])

/**
 * The maximum slippage of a token pair in percent, with its reason. A fake token with a known symbol can only get a
 * stricter bound.
 */
function slippageBound(given: number | undefined, from: string, to: string) {
  if (given !== undefined) return { percent: given, reason: 'As asked.' }
  const pair = [from.toUpperCase(), to.toUpperCase()]
  if (pair.every((symbol) => STABLECOINS.has(symbol)))
    return { percent: 0.1, reason: 'Both are stable: their price hardly moves.' }
  return pair.every((symbol) => STABLECOINS.has(symbol) || MAJOR_COINS.has(symbol))
    ? { percent: 0.5, reason: 'A major token: deep markets.' }
    : { percent: 1, reason: 'A smaller token: its price moves more before the swap arrives.' }
}

const BPS_DECIMALS = 2

function toBasisPoints(percent: number): string {
  const exact = parseDecimal(String(percent), BPS_DECIMALS)
  if (exact === null)
    throw invalidArgument('slippage_pct', 'malformed', {
      expected: 'Percent with at most 2 decimals.',
    })
  return String(exact)
}

const NEXT = {
  price: 'Show this to the user. With from_address the answer holds the transaction to sign.',
  sign: 'Show this to the user. Their wallet first approves as approval says (null: no approval; resetFirst: set the allowance to 0 before), then signs and sends transaction as it is, before expires_at. get_swap_status follows it.',
} as const

function quoteShown(quote: Row, hasWallet: boolean) {
  const { fromToken, toToken, approval, transaction } = quote
  return {
    from: {
      chainId: quote['fromChainId'],
      amount: wholeTokenAmount(quote['fromAmount'], fromToken),
      amount_usd: quote['fromAmountUsd'],
      token: tokenShown(fromToken),
    },
    to: {
      chainId: quote['toChainId'],
      amount: wholeTokenAmount(quote['toAmount'], toToken),
      amount_min: wholeTokenAmount(quote['toAmountMin'], toToken),
      amount_usd: quote['toAmountUsd'],
      token: tokenShown(toToken),
    },
    fees_usd: quote['feesUsd'],
    gas_usd: quote['gasUsd'],
    slippage_bps: quote['slippageBps'],
    duration_seconds: quote['estimatedDurationSec'],
    indicative: quote['indicative'],
    expires_at: quote['expiresAt'],
    ...(hasWallet && isObject(transaction)
      ? { approval, transaction, next: NEXT.sign }
      : { next: NEXT.price }),
  }
}

function legShown(leg: unknown): unknown {
  if (!isObject(leg)) return null
  const { token: moved, amount, ...shown } = leg
  return {
    ...Object.assign({}, cleanedPayload(shown)),
    amount: wholeTokenAmount(amount, moved),
    token: tokenShown(moved),
  }
}

function tokenShown(value: unknown): unknown {
  if (!isObject(value)) return null
  const { symbol, address, decimals } = value
  return cleanedPayload({ symbol, address, decimals })
}

/** Converts base units to a decimal token amount; null without valid units or decimals. */
function wholeTokenAmount(units: unknown, of: unknown): string | null {
  const decimals = isObject(of) ? of['decimals'] : undefined
  if (typeof units !== 'string' || !/^\d{1,78}$/.test(units) || typeof decimals !== 'number')
    return null
  return formatDecimal(BigInt(units), decimals)
}
