import { HEX_PATTERNS } from './hex.ts'
import { SWAP_LIMITS, SWAP_PREFERENCES, SWAP_TOKENS_CLAMP } from './swap.ts'

const CHAIN = { type: 'string', pattern: '^[1-9][0-9]{0,15}$' } as const
const ADDRESS = { type: 'string', pattern: HEX_PATTERNS.address } as const
const HASH = { type: 'string', pattern: HEX_PATTERNS.hash } as const

/** A parameter of a route. */
export type RouteParameter = {
  readonly name: string
  readonly required: boolean
  readonly description: string
  /** A JSON Schema of the value. */
  readonly schema: Readonly<Record<string, unknown>>
}

function parameter(
  name: string,
  required: boolean,
  description: string,
  schema: RouteParameter['schema'],
): RouteParameter {
  return { name, required, description, schema }
}

/** The parameters of each swap route. */
export const SWAP_PARAMETERS = {
  quote: [
    parameter('fromChain', true, 'Chain the tokens are on, from the chain list.', CHAIN),
    parameter('toChain', true, 'Chain the tokens go to.', CHAIN),
    parameter('fromToken', true, 'Token given; the zero address is the native coin.', ADDRESS),
    parameter('toToken', true, 'Token wanted.', ADDRESS),
    parameter('fromAmount', true, 'Amount given, in base units.', {
      type: 'string',
      pattern: '^[1-9][0-9]{0,77}$',
    }),
    parameter(
      'fromAddress',
      false,
      'Wallet that sends. Without it the price is indicative.',
      ADDRESS,
    ),
    parameter('toAddress', false, 'Wallet that receives; the sender unless given.', ADDRESS),
    parameter('slippageBps', false, 'Highest slippage accepted, in hundredths of a percent.', {
      type: 'integer',
      minimum: SWAP_LIMITS.slippageMinBps,
      maximum: SWAP_LIMITS.slippageMaxBps,
      default: SWAP_LIMITS.slippageDefaultBps,
    }),
    parameter('order', false, 'Goal of the route.', {
      type: 'string',
      enum: SWAP_PREFERENCES,
      default: SWAP_PREFERENCES[0],
    }),
  ],
  tokens: [
    parameter('chainId', true, 'A chain of the chain list.', CHAIN),
    parameter('search', false, 'Part of a symbol or name, or a whole address.', {
      type: 'string',
      minLength: 1,
      maxLength: SWAP_LIMITS.searchMaxChars,
    }),
    parameter('limit', false, `How many rows, clamped to 1..${SWAP_TOKENS_CLAMP.max}.`, {
      type: 'integer',
      minimum: SWAP_TOKENS_CLAMP.min,
      maximum: SWAP_TOKENS_CLAMP.max,
      default: SWAP_TOKENS_CLAMP.fallback,
    }),
  ],
  status: [
    parameter('txHash', true, 'Hash of the transaction on the source chain.', HASH),
    parameter('fromChain', false, 'Source chain; makes the look-up quicker.', CHAIN),
    parameter('toChain', false, 'Destination chain.', CHAIN),
    parameter('quoteId', false, 'The id of the quote.', { type: 'string', maxLength: 256 }),
  ],
} as const satisfies Record<string, readonly RouteParameter[]>
