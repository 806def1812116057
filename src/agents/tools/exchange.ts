import { DAY_MS } from '../../contract/durations.ts'
import { CLAMPS } from '../../contract/limits.ts'
import { LEADERBOARD_SORTS, LEADERBOARD_WINDOWS } from '../../contract/market/leaderboard.ts'
import { isObject, rowsAt } from '../../core/json.ts'
import { listAnswer, trimmedPayload } from '../results.ts'
import type { Tool, ToolContext } from '../tool.ts'
import { argumentSchema, choice, rows, text } from '../tool-arguments.ts'
import { publicTool } from '../tool-kinds.ts'
import { cleanedPayload } from '../untrusted-text.ts'
import { refreshedVenueMs } from '../views/current.ts'

/** Default number of rows, so that the answer stays below 1,000 tokens. */
const LIQUIDATIONS_DEFAULT = 7

const listLiquidations = publicTool({
  name: 'list_liquidations',
  description: 'Liquidations on the whole exchange, newest first.',
  arguments: argumentSchema({ size: rows(CLAMPS.liquidations.max, LIQUIDATIONS_DEFAULT) }),
  run: (context, { size }) => {
    const cut = { rowsMax: size, more: 'Pass a larger size.' }
    return listAt(context, '/api/prep/liquidations', cut, { size: String(size) })
  },
})

const getInsuranceFund = publicTool({
  name: 'get_insurance_fund',
  description: 'Insurance fund of the exchange: balance and positions it took over.',
  arguments: argumentSchema({}),
  run: async ({ client }) => {
    const { value, cut } = trimmedPayload(
      cleanedPayload(await client.get('/api/prep/insurance-fund')),
    )
    const more = 'read_operation platform.insuranceFund with a larger limit.'
    return { ...(isObject(value) && value), ...(cut && { truncated: true, more }) }
  },
})

const getLeaderboard = publicTool({
  name: 'get_leaderboard',
  description:
    'Leading traders by volume, pnl or open notional, in USDC. sort=notional lists the largest open positions ("whales") and ignores window.',
  arguments: argumentSchema({
    window: choice(LEADERBOARD_WINDOWS, 'Period of volume and pnl.', '24h'),
    sort: choice(LEADERBOARD_SORTS, 'Highest first.', 'volume'),
    limit: rows(CLAMPS.leaderboard.max, CLAMPS.whales.fallback),
  }),
  untrusted: true,
  run: async ({ client }, { window, sort, limit }) => {
    const query = { window, sort, limit: String(limit) }
    const answer = cleanedPayload(await client.get('/api/prep/leaderboard', query))
    const updatedAt = isObject(answer) ? answer['updatedAt'] : null
    const list = listAnswer(rowsAt(answer, 'rows'), {
      rows: 'rows',
      rowsMax: limit,
      more: 'Pass a larger limit.',
    })
    return { ...list, updatedAt }
  },
})

const getPoints = publicTool({
  name: 'get_points',
  description: 'Reward points of a wallet. enabled=false: rewards are off.',
  arguments: argumentSchema({ address: text('0x and 40 hex.') }),
  untrusted: true,
  run: async ({ client }, { address }) =>
    cleanedPayload(await client.get('/api/prep/points', { address })),
})

const listTokens = publicTool({
  name: 'list_tokens',
  title: 'List collateral tokens',
  description: 'Tokens taken as collateral, with decimals and withdrawal fee by chain.',
  arguments: argumentSchema({}),
  untrusted: true,
  run: (context) =>
    listAt(context, '/api/prep/tokens', { more: 'read_operation platform.tokens.' }),
})

const listDepositChains = publicTool({
  name: 'list_deposit_chains',
  description:
    'Chains that take USDC deposits: vault and USDC addresses, explorer, withdrawal fee in USDC. The wallet of the user deposits.',
  arguments: argumentSchema({}),
  untrusted: true,
  run: (context) =>
    listAt(context, '/api/prep/deposit-chains', { more: 'read_operation platform.chains.' }),
})

/** Reads a public list; the answer has as many rows as fit. */
async function listAt(
  { client }: ToolContext,
  path: string,
  cut: { readonly rowsMax?: number; readonly more: string },
  query: Readonly<Record<string, string>> = {},
) {
  const answer = cleanedPayload(await client.get(path, query))
  return listAnswer(rowsAt(answer, 'rows'), { rows: 'rows', ...cut })
}

/** Tools about the exchange as a whole. */
export const EXCHANGE_TOOLS: readonly Tool[] = [
  listLiquidations,
  getInsuranceFund,
  getLeaderboard,
  getPoints,
  listTokens,
  listDepositChains,
]

const getTime = publicTool({
  name: 'get_time',
  description: 'The time now, in ms and UTC, and when the UTC day began: for start_t and end_t.',
  arguments: argumentSchema({}),
  run: async (context) => {
    const now = await refreshedVenueMs(context)
    const utc = new Date(now).toISOString()
    return { now, utc, day_began: Math.floor(now / DAY_MS) * DAY_MS }
  },
})

/** Tools about time. */
export const TIME_TOOLS: readonly Tool[] = [getTime]
