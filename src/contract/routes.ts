import { MANDATE_PATH } from './act-paths.ts'
import { APPROVAL_ID } from './approval.ts'
import { INTERVALS } from './durations.ts'
import { HEX_PATTERNS } from './hex.ts'
import { CLAMPS, LIMITS, type Lifetime, lifetime, type PolicyName } from './limits.ts'
import { LEADERBOARD_SORTS, LEADERBOARD_WINDOWS } from './market/leaderboard.ts'
import { SYMBOL_PATTERN } from './market/symbols.ts'
import { STANDBY_PATH } from './standby.ts'
import { SWAP_LIFETIMES } from './swap.ts'
import { type RouteParameter, SWAP_PARAMETERS } from './swap-parameters.ts'
import { WEBHOOK_PATH } from './webhook.ts'

export type Route = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly family:
    | 'discovery'
    | 'account'
    | 'relay'
    | 'market'
    | 'stream'
    | 'referral'
    | 'swap'
    | 'voucher'
    | 'agent'
  readonly policy: PolicyName
  readonly summary: string
  readonly parameters?: readonly RouteParameter[]
  /** How long answers are cached. Absent: no-store. */
  readonly lifetime?: Lifetime
  /** The prefix of the route's cache keys. Absent: answers are not cached. */
  readonly cacheKey?: string
  /** Marks a route without parameters, whose fresh cached answers are served without routing. */
  readonly hot?: true
  /**
   * The shape of the route's failures:
   * - absent: `{code, error, meta?}`,
   * - `codeless`: `{error}` without a code, except rate_limited,
   * - `rpc`: JSON-RPC.
   */
  readonly failures?: 'codeless' | 'rpc'
  /** Marks a route that writes or signs. It is refused while the operator has closed writes. */
  readonly changes?: true
  /** The kind of a long-lived connection. Absent: one JSON answer. */
  readonly answers?: 'socket' | 'events'
}

const SYMBOL: RouteParameter = {
  name: 'symbol',
  required: true,
  description: 'A market, for example PERP_ETH_USDC.',
  schema: { type: 'string', pattern: SYMBOL_PATTERN.source },
}

function choice(
  name: string,
  values: readonly string[],
  fallback: string,
  description: string,
): RouteParameter {
  return {
    name,
    required: false,
    description,
    schema: { type: 'string', enum: values, default: fallback },
  }
}

type Clamp = (typeof CLAMPS)[keyof typeof CLAMPS]

function count(name: string, { min, max, fallback }: Clamp): RouteParameter {
  const schema = { type: 'integer', minimum: min, maximum: max, default: fallback }
  return { name, required: false, description: `How many rows, clamped to ${min}..${max}.`, schema }
}

/** Every named route of the public API: summary, parameters, rate policy and lifetime. */
export const ROUTES = {
  catalogue: {
    method: 'GET',
    path: '/api/prep/catalogue',
    family: 'discovery',
    policy: 'read',
    summary: 'All catalogued operations, their groups, and the complete error set.',
    // The only route that is served stale while it is refreshed.
    lifetime: { ...lifetime(300, 3600), staleWhileRevalidateSeconds: 3600 },
    cacheKey: 'route:catalogue',
    hot: true,
  },
  registrationNonce: {
    method: 'GET',
    path: '/api/prep/registration-nonce',
    family: 'account',
    policy: 'write',
    summary: 'A nonce for account registration. It is valid once, within two minutes.',
  },
  typedData: {
    method: 'POST',
    path: '/api/prep/typed-data',
    family: 'account',
    policy: 'write',
    summary:
      'The exact message that a wallet signs: to register, bind a trading key, limit its account, add a webhook, approve a write, withdraw or settle.',
  },
  register: {
    method: 'POST',
    path: '/api/prep/register',
    family: 'account',
    policy: 'write',
    changes: true,
    summary: 'Creates the account of a wallet.',
  },
  tradingKey: {
    method: 'POST',
    path: '/api/prep/trading-key',
    family: 'account',
    policy: 'write',
    changes: true,
    summary: 'Binds the public half of a trading key to an account.',
  },
  mandate: {
    method: 'POST',
    path: MANDATE_PATH,
    family: 'account',
    policy: 'relay',
    summary: 'Stores the limits that a wallet has signed for its account.',
  },
  webhook: {
    method: 'POST',
    path: WEBHOOK_PATH,
    family: 'account',
    policy: 'relay',
    summary: 'Adds, deletes or lists webhooks of an account, as its wallet has signed.',
  },
  relay: {
    method: 'POST',
    path: '/api/prep/relay',
    family: 'relay',
    policy: 'relay',
    summary: 'Forwards one signed request byte for byte: every private read and write.',
  },
  approvedRelay: {
    method: 'POST',
    path: '/api/prep/relay/approved',
    family: 'relay',
    policy: 'relay',
    summary:
      'Forwards one signed write if the owner of its account has approved it; otherwise asks the owner. The owner sees the positions of the signed reads that are sent here.',
  },
  approval: {
    method: 'GET',
    path: '/api/prep/approval',
    family: 'account',
    policy: 'read',
    summary: 'Describes a write that waits for approval. The call decides nothing.',
    parameters: [
      {
        name: 'id',
        required: true,
        description: 'The id of the approval.',
        schema: { type: 'string', pattern: APPROVAL_ID },
      },
    ],
  },
  decideApproval: {
    method: 'POST',
    path: '/api/prep/approval/decision',
    family: 'account',
    policy: 'relay',
    summary: 'Approves a write with the signature of the owner’s wallet, or refuses it.',
  },
  standby: {
    method: 'POST',
    path: STANDBY_PATH,
    family: 'relay',
    policy: 'relay',
    summary: 'Deposits signed cancels, which are relayed if the caller goes silent.',
  },
  markets: {
    method: 'GET',
    path: '/api/prep/markets',
    family: 'market',
    policy: 'read',
    summary: 'Active markets, highest 24h quote volume first.',
    lifetime: lifetime(5, 60),
    cacheKey: 'route:markets',
    hot: true,
  },
  marketRules: {
    method: 'GET',
    path: '/api/prep/market-rules',
    family: 'market',
    policy: 'read',
    summary: 'Ticks, bounds, margin rates and highest leverage of every market.',
    lifetime: lifetime(3600),
    cacheKey: 'route:market-rules',
    hot: true,
  },
  orderbook: {
    method: 'GET',
    path: '/api/prep/orderbook',
    family: 'market',
    policy: 'read',
    summary: 'The order book of one market. Never cached.',
    parameters: [SYMBOL],
  },
  candles: {
    method: 'GET',
    path: '/api/prep/candles',
    family: 'market',
    policy: 'read',
    summary: 'Candles of one market, oldest first.',
    parameters: [
      SYMBOL,
      choice('interval', INTERVALS, '1h', 'Length of a candle.'),
      count('limit', CLAMPS.candles),
    ],
    lifetime: lifetime(5, 60),
    cacheKey: 'route:candles',
  },
  trades: {
    method: 'GET',
    path: '/api/prep/trades',
    family: 'market',
    policy: 'read',
    summary: 'Latest public trades of one market.',
    parameters: [SYMBOL, count('limit', CLAMPS.trades)],
  },
  funding: {
    method: 'GET',
    path: '/api/prep/funding',
    family: 'market',
    policy: 'read',
    summary: 'Funding of one market.',
    parameters: [SYMBOL],
    lifetime: lifetime(30),
    cacheKey: 'route:funding',
  },
  marketSessions: {
    method: 'GET',
    path: '/api/prep/market-sessions',
    family: 'market',
    policy: 'read',
    summary: 'Trading hours of markets that stand for stocks, commodities and currencies.',
    lifetime: lifetime(60),
    cacheKey: 'route:market-sessions',
    hot: true,
  },
  config: {
    method: 'GET',
    path: '/api/prep/config',
    family: 'market',
    policy: 'read',
    summary: 'The leverage steps an account can choose.',
    lifetime: lifetime(3600),
    cacheKey: 'route:config',
    hot: true,
  },
  tokens: {
    method: 'GET',
    path: '/api/prep/tokens',
    family: 'market',
    policy: 'read',
    summary: 'Collateral tokens and the chains they are on.',
    lifetime: lifetime(3600),
    cacheKey: 'route:tokens',
    hot: true,
  },
  depositChains: {
    method: 'GET',
    path: '/api/prep/deposit-chains',
    family: 'market',
    policy: 'read',
    summary: 'Chains that take USDC deposits, with vault and token addresses.',
    lifetime: lifetime(3600),
    cacheKey: 'route:deposit-chains',
    hot: true,
  },
  insuranceFund: {
    method: 'GET',
    path: '/api/prep/insurance-fund',
    family: 'market',
    policy: 'read',
    summary: 'The insurance fund.',
    lifetime: lifetime(60),
    cacheKey: 'route:insurance-fund',
    hot: true,
  },
  liquidations: {
    method: 'GET',
    path: '/api/prep/liquidations',
    family: 'market',
    policy: 'read',
    summary: 'Recent liquidations on the whole exchange.',
    parameters: [count('size', CLAMPS.liquidations)],
    lifetime: lifetime(30),
    cacheKey: 'route:liquidations',
  },
  leaderboard: {
    method: 'GET',
    path: '/api/prep/leaderboard',
    family: 'market',
    policy: 'read',
    summary: 'Traders ranked by volume, profit or open notional.',
    parameters: [
      choice('window', LEADERBOARD_WINDOWS, '24h', 'Period of volume and profit.'),
      choice('sort', LEADERBOARD_SORTS, 'volume', 'What ranks them.'),
      count('limit', CLAMPS.leaderboard),
    ],
    lifetime: lifetime(60),
    cacheKey: 'route:leaderboard',
  },
  whales: {
    method: 'GET',
    path: '/api/prep/whales',
    family: 'market',
    policy: 'read',
    summary: 'Traders with the largest open notional.',
    parameters: [count('limit', CLAMPS.whales)],
    lifetime: lifetime(60),
    // Whales are part of the leaderboard and share its cached answers.
    cacheKey: 'route:leaderboard',
  },
  socket: {
    method: 'GET',
    path: '/api/prep/ws',
    family: 'stream',
    policy: 'read',
    summary:
      'Live data over a WebSocket. `/swagger/streams` lists the topics and has a form to try them; `/swagger/streams.json` describes the messages.',
    answers: 'socket',
  },
  events: {
    method: 'GET',
    path: '/api/prep/stream',
    family: 'stream',
    policy: 'read',
    summary: 'Live data as server-sent events: the messages of the WebSocket.',
    parameters: [
      {
        name: 'topics',
        required: true,
        description: 'Topics with commas between, at most 100.',
        schema: { type: 'string', maxLength: LIMITS.streamTopicsMaxChars },
      },
    ],
    answers: 'events',
  },
  points: {
    method: 'GET',
    path: '/api/prep/points',
    family: 'market',
    policy: 'read',
    summary: 'Rewards of one wallet; null when the module is off.',
    parameters: [
      {
        name: 'address',
        required: true,
        description: 'A wallet address.',
        schema: { type: 'string', pattern: HEX_PATTERNS.address },
      },
    ],
  },
  referralVerify: {
    method: 'GET',
    path: '/api/prep/referral/verify',
    family: 'referral',
    policy: 'read',
    summary: 'Whether a referral code exists.',
    parameters: [
      {
        name: 'code',
        required: true,
        description: 'The code to look up.',
        schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,32}$' },
      },
    ],
    lifetime: lifetime(300),
    cacheKey: 'route:referral-verify',
  },
  referralCode: {
    method: 'POST',
    path: '/api/prep/referral/code',
    family: 'referral',
    policy: 'referral',
    changes: true,
    summary: 'Gives a first-level affiliate its code.',
  },
  referralRate: {
    method: 'POST',
    path: '/api/prep/referral/rate',
    family: 'referral',
    policy: 'referral',
    changes: true,
    summary: "Sets an affiliate's rate to the operator's rate, if it is zero.",
  },
  operation: {
    method: 'GET',
    path: '/api/prep/op/{id}',
    family: 'discovery',
    policy: 'read',
    summary: 'One catalogued read.',
  },
  swapQuote: {
    method: 'GET',
    path: '/api/swap/quote',
    family: 'swap',
    policy: 'swap_quote',
    summary: 'A swap quote, with the transaction to sign when a wallet is given.',
    parameters: SWAP_PARAMETERS.quote,
    cacheKey: 'route:swap-quote',
  },
  swapTokens: {
    method: 'GET',
    path: '/api/swap/tokens',
    family: 'swap',
    policy: 'swap',
    summary: 'Tokens of one chain.',
    parameters: SWAP_PARAMETERS.tokens,
    lifetime: SWAP_LIFETIMES.tokens,
    cacheKey: 'route:swap-tokens',
  },
  swapChains: {
    method: 'GET',
    path: '/api/swap/chains',
    family: 'swap',
    policy: 'swap',
    summary: 'Chains that swaps start and end on.',
    lifetime: SWAP_LIFETIMES.chains,
    cacheKey: 'route:swap-chains',
  },
  swapStatus: {
    method: 'GET',
    path: '/api/swap/status',
    family: 'swap',
    policy: 'swap',
    failures: 'codeless',
    summary: 'State of a transfer. Failures are `{error}` without a code.',
    parameters: SWAP_PARAMETERS.status,
    cacheKey: 'route:swap-status',
  },
  voucher: {
    method: 'POST',
    path: '/api/relayer/voucher',
    family: 'voucher',
    policy: 'voucher',
    changes: true,
    failures: 'codeless',
    summary:
      'Signs the voucher to redeem a deposit, after a check on its chain. Failures are `{error}` without a code.',
  },
  agent: {
    method: 'POST',
    path: '/mcp',
    family: 'agent',
    policy: 'mcp',
    failures: 'rpc',
    summary: 'Tools for AI agents (MCP): JSON-RPC 2.0, one answer per request.',
  },
} as const satisfies Record<string, Route>

export type RouteId = keyof typeof ROUTES
