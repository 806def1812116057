import { bodyText } from '../account-call.ts'
import { writeTool } from '../agent-tool.ts'
import { amountOf } from '../amounts.ts'
import { NO_SPENDING } from '../limits.ts'
import { marketWrite } from '../market-write.ts'
import { MARGIN_MODES } from '../orders/ask.ts'
import { invalidArgument } from '../refusal.ts'
import type { Tool } from '../tool.ts'
import { args, choice, symbolArgument, whole } from '../tool-arguments.ts'
import { exactMarket } from '../views/market.ts'

const setLeverage = writeTool({
  name: 'set_leverage',
  title: 'Set leverage',
  description:
    'Set the leverage of a market, and so margin and liquidation price of a position open there.',
  arguments: args({
    symbol: symbolArgument,
    leverage: whole('Whole number, at most maxLeverage of get_market.', {
      minimum: 1,
      maximum: 100,
    }),
  }),
  idempotent: true,
  run: async (context, { symbol, leverage }) => {
    const { maxLeverage } = await exactMarket(context, symbol)
    if (leverage > maxLeverage) {
      throw invalidArgument('leverage', 'out_of_range', {
        maximum: maxLeverage,
        suggestion: maxLeverage,
      })
    }
    const result = await marketWrite(context, {
      tool: 'set_leverage',
      symbol,
      spending: NO_SPENDING,
      write: {
        method: 'POST',
        path: '/v1/client/leverages',
        body: bodyText({ symbol, leverage: amountOf(leverage) ?? 1n }),
        lookUp: { tool: 'get_leverage', arguments: { symbol } },
      },
    })
    return { symbol, leverage, ...result }
  },
})

const setMarginMode = writeTool({
  name: 'set_margin_mode',
  title: 'Set margin mode',
  description: 'Set cross or isolated margin of a market. Refused while anything is open there.',
  arguments: args({
    symbol: symbolArgument,
    margin_mode: choice(MARGIN_MODES, 'CROSS shares all collateral.'),
  }),
  idempotent: true,
  hints: {
    venue_rejected:
      'Close the position and cancel the orders of this market first, or leave the mode as it is.',
    invalid_request:
      'This market or venue does not take this margin mode. get_leverage shows the one it has.',
  },
  run: async (context, { symbol, margin_mode }) => {
    await exactMarket(context, symbol)
    const result = await marketWrite(context, {
      tool: 'set_margin_mode',
      symbol,
      spending: NO_SPENDING,
      write: {
        method: 'POST',
        path: '/v1/client/margin_mode',
        body: bodyText({ symbol, default_margin_mode: margin_mode }),
        lookUp: { tool: 'get_leverage', arguments: { symbol } },
      },
    })
    return { symbol, margin_mode, ...result }
  },
})

/** Tools that change how a market is traded. */
export const SETTING_TOOLS: readonly Tool[] = [setLeverage, setMarginMode]
