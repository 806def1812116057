import { rowsAt } from '../../core/json.ts'
import { toAmount } from '../../perp/amounts.ts'
import { type MarketRules, toMarketRules } from '../../perp/market-rules.ts'
import { type MarketBound, toMarketBound } from '../../perp/order-worst-case.ts'
import type { MarketAccess } from '../market/cached-answers.ts'
import { marketRules, markets } from '../market/markets.ts'

/** A market's rules with its price bound. */
export type BoundedMarket = MarketRules & MarketBound

/**
 * Mark price, price range and rules of markets, from cached answers. A market without a price range is left out,
 * because its orders have no worst price. Throws Failure.
 */
export async function readMarketBounds(
  deps: MarketAccess,
  symbols: ReadonlySet<string>,
): Promise<ReadonlyMap<string, BoundedMarket>> {
  const [listed, ruled] = await Promise.all([markets(deps), marketRules(deps)])
  const rules = new Map(
    rowsAt(JSON.parse(ruled.reply.text()), 'rules').map((row) => [row['symbol'], row]),
  )
  const bounds = new Map<string, BoundedMarket>()
  for (const row of rowsAt(JSON.parse(listed.reply.text()), 'markets')) {
    const symbol = String(row['symbol'])
    if (!symbols.has(symbol)) continue
    const rule = toMarketRules(rules.get(symbol) ?? {})
    const bound = toMarketBound({ ...rule, mark: toAmount(row['mark_price']) })
    if (bound) bounds.set(symbol, { ...rule, ...bound })
  }
  return bounds
}
