import { SECOND_MS } from '../../contract/durations.ts'
import { STANDBY, STANDBY_PATH } from '../../contract/standby.ts'
import type { Row } from '../../core/json.ts'
import { runAudited } from '../audit.ts'
import { assertAllowedSymbol } from '../limit-rules.ts'
import type { SignedContext, Tool } from '../tool.ts'
import {
  argumentSchema,
  choice,
  optional,
  symbolNarrowing,
  wholeNumber,
} from '../tool-arguments.ts'
import { writeTool } from '../tool-kinds.ts'
import { waitingTriggers } from '../views/algo-orders.ts'
import { exactMarket } from '../views/market.ts'
import { standbyShown } from '../views/standby.ts'

const standby = writeTool({
  name: 'standby',
  title: 'Cancel when silent',
  description:
    'A dead man’s switch: arm it, and resting orders are cancelled unless you arm it again within after_seconds. Stops and TP/SL stay. Holds for about 12 minutes without renewal.',
  arguments: argumentSchema({
    action: choice(['arm', 'show', 'withdraw'], 'arm also renews.'),
    after_seconds: wholeNumber('Silence that is allowed.', {
      minimum: STANDBY.afterMinMs / SECOND_MS,
      maximum: 600,
      default: 120,
    }),
    symbol: optional(symbolNarrowing),
  }),
  effect:
    'arms, renews or withdraws the cancel of resting orders, in the market of symbol or in all markets',
  otherWays: {
    order_id: 'cancel_order cancels one order now.',
    side: 'It cancels the orders of both sides.',
  },
  idempotent: true,
  hints: {
    unauthorized: 'The venue has not yet accepted this key here: call get_account first.',
    not_available: 'The former one is being sent: look at list_orders, and arm again.',
  },
  run: async (context, { action, after_seconds, symbol }) => {
    if (action === 'show')
      return withUncancelledOrders(context, standbyShown(await act(context, 'GET')))
    if (symbol !== undefined) await exactMarket(context, symbol)
    const afterMs = after_seconds * SECOND_MS
    const call = {
      path: STANDBY_PATH,
      ...(action === 'withdraw'
        ? { method: 'DELETE' as const }
        : { method: 'POST' as const, body: JSON.stringify({ symbol, afterMs }) }),
    }
    const line = { tool: 'standby', ...(symbol !== undefined && { symbol }), call }
    return runAudited(context, line, async () => {
      assertAllowedSymbol(context, symbol ?? null)
      if (action === 'withdraw') return standbyShown(await act(context, 'DELETE'))
      const { client, credentials } = context
      const answer = await client.armStandby(credentials, { symbol, afterMs })
      return withUncancelledOrders(context, standbyShown(answer), symbol)
    })
  },
})

function act({ client, credentials }: SignedContext, method: 'GET' | 'DELETE'): Promise<unknown> {
  return client.relay(credentials, { method, path: STANDBY_PATH })
}

/**
 * The state of a standby. For an armed standby, adds the conditional orders that it would not cancel; null if
 * unreadable.
 */
async function withUncancelledOrders(
  context: SignedContext,
  shown: Row,
  symbol?: string,
): Promise<object> {
  if (shown['state'] !== 'armed') return shown
  return { ...shown, conditional_orders_left: await waitingTriggers(context, symbol) }
}

export const STANDBY_TOOLS: readonly Tool[] = [standby]
