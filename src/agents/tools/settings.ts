import { pick, type Row } from '../../core/json.ts'
import { toAmount } from '../../perp/amounts.ts'
import { MARGIN_MODES, type MarginMode } from '../../perp/positions.ts'
import { bodyText } from '../../perp/write-body.ts'
import { accountRead } from '../account-call.ts'
import { assertLeverage } from '../limit-rules.ts'
import { SETTING_CHANGE } from '../limits/spending.ts'
import { marketWrite } from '../orders/market-write.ts'
import { invalidArgument, toolRefusal, toToolFailure, withMeta } from '../refusal.ts'
import { totalRows } from '../rows.ts'
import type { SignedContext, Tool } from '../tool.ts'
import { argumentSchema, choice, symbolArgument, wholeNumber } from '../tool-arguments.ts'
import { writeTool } from '../tool-kinds.ts'
import { openPositionRows } from '../views/account.ts'
import { defaultMarginMode, leverageNow } from '../views/leverage.ts'
import { exactMarket } from '../views/market.ts'

const setLeverage = writeTool({
  name: 'set_leverage',
  description:
    'Set the leverage of a market in its margin mode, and so the margin of a position open there.',
  arguments: argumentSchema({
    symbol: symbolArgument,
    leverage: wholeNumber('At most maxLeverage of get_market.', {
      minimum: 1,
      maximum: 100,
    }),
  }),
  effect:
    'sets the leverage of the market in the margin mode that it has, and of a position open there',
  otherWays: { margin_mode: 'set_margin_mode sets the mode; get_leverage shows it.' },
  idempotent: true,
  hints: {
    invalid_request:
      'In an ISOLATED market the leverage of what is open stays: close the position and cancel its orders first.',
  },
  run: async (context, { symbol, leverage }) => {
    assertLeverage(context, leverage)
    const { maxLeverage } = await exactMarket(context, symbol)
    if (leverage > maxLeverage) {
      throw invalidArgument('leverage', 'out_of_range', {
        maximum: maxLeverage,
        suggestion: maxLeverage,
      })
    }
    const margin_mode = await defaultMarginMode(context, symbol)
    const body = bodyText({ symbol, leverage: toAmount(leverage) ?? 1n, margin_mode })
    await change(context, { tool: 'set_leverage', symbol, path: '/v1/client/leverages', body })
    return readAfterChange(context, symbol, { margin_mode, leverage })
  },
})

const setMarginMode = writeTool({
  name: 'set_margin_mode',
  description: 'Set cross or isolated margin of a market. Refused while anything is open there.',
  arguments: argumentSchema({
    symbol: symbolArgument,
    margin_mode: choice(MARGIN_MODES, 'CROSS shares all collateral.'),
  }),
  effect: 'sets the margin mode of the market',
  otherWays: { leverage: 'set_leverage sets the leverage.' },
  idempotent: true,
  hints: {
    venue_rejected:
      'The mode changes only while nothing is open in this market: positions and orders, stops included. Ask the user before closing anything.',
    invalid_request:
      'This market or venue refuses this margin mode, or a closed position is unsettled: its owner settles it on the trading page. get_leverage shows the current mode.',
  },
  run: async (context, { symbol, margin_mode }) => {
    await exactMarket(context, symbol)
    const body = bodyText({ symbol, default_margin_mode: margin_mode })
    const path = '/v1/client/margin_mode'
    await change(context, { tool: 'set_margin_mode', symbol, mode: margin_mode, path, body }).catch(
      async (error: unknown) => {
        throw await withCause(context, error, symbol)
      },
    )
    return readAfterChange(context, symbol, { margin_mode })
  },
})

const REFUSED: ReadonlySet<string> = new Set([
  'venue_rejected',
  'invalid_request',
  'account_restricted',
])

/** Adds the likely cause to a refused margin mode: open positions and orders. Returns other errors unchanged. */
async function withCause(context: SignedContext, error: unknown, symbol: string): Promise<unknown> {
  const failure = toToolFailure(error)
  if (!REFUSED.has(failure.code)) return error
  const query = { symbol, status: 'INCOMPLETE', page: 1, size: 1 }
  const count = (path: string) => accountRead(context, path, query).then(totalRows, () => 0)
  const [positions, orders, conditional] = await Promise.all([
    accountRead(context, '/v1/positions')
      .then(openPositionRows)
      .catch((): readonly Row[] => []),
    count('/v1/orders'),
    count('/v1/algo/orders'),
  ])
  const held = positions.filter((row) => row['symbol'] === symbol)
  if (held.length + orders + conditional === 0) return error
  const open = {
    positions: held.map((row) => pick(row, ['position_qty', 'margin_mode'])),
    orders,
    conditional_orders: conditional,
  }
  return withMeta(failure, { open, next: STILL_OPEN })
}

const STILL_OPEN =
  'The mode changes only while nothing is open in this market; open says what is. Ask the user before closing or cancelling anything.'

/** Tools that change an account's settings for a market. */
export const SETTING_TOOLS: readonly Tool[] = [setLeverage, setMarginMode]

type Change = Readonly<Record<'tool' | 'symbol' | 'path' | 'body', string>> & {
  readonly mode?: MarginMode
}

function change(
  context: SignedContext,
  { tool, symbol, mode, path, body }: Change,
): Promise<unknown> {
  const lookUp = { tool: 'get_leverage', arguments: { symbol } }
  const write = { method: 'POST', path, body, lookUp } as const
  return marketWrite(context, { tool, symbol, mode, spending: SETTING_CHANGE, write })
}

/** Reads the venue's margin mode and leverage after a change. Throws venue_rejected if they differ from the request. */
async function readAfterChange(
  context: SignedContext,
  symbol: string,
  asked: Readonly<Record<string, unknown>>,
) {
  const now = await leverageAfter(context, symbol)
  const differs = Object.entries(now).some(([name, value]) => (asked[name] ?? value) !== value)
  if (!differs) return { symbol, ...now }
  throw toolRefusal('venue_rejected', {
    requested: asked,
    venue: now,
    next: 'The venue took the request and has another setting. Tell the user what it has.',
  })
}

const CHANGE_UNREAD_STEP = 'The venue took the change. Make the look_up to see what it has now.'

async function leverageAfter(context: SignedContext, symbol: string) {
  try {
    return await leverageNow(context, symbol)
  } catch (error) {
    const { code } = toToolFailure(error)
    const look_up = { tool: 'get_leverage', arguments: { symbol } }
    throw toolRefusal('outcome_unknown', { cause: code, look_up, next: CHANGE_UNREAD_STEP })
  }
}
