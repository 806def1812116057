import { rowsAt } from '../../core/json.ts'
import { toAmount } from '../../perp/amounts.ts'
import { toMarketRules } from '../../perp/market-rules.ts'
import { type SizedBound, toMarketBound } from '../../perp/order-worst-case.ts'
import type { MarketAccess } from '../market/cached-answers.ts'
import { marketRules, markets } from '../market/markets.ts'

/**
 * Mark price, price range and order sizes of markets, from cached answers. A market without a price range is left out,
 * because its orders have no worst price. Throws Failure.
 */
export async function readMarketBounds(
  deps: MarketAccess,
  symbols: ReadonlySet<string>,
): Promise<ReadonlyMap<string, SizedBound>> {
  const [listed, ruled] = await Promise.all([markets(deps), marketRules(deps)])
  const rules = new Map(
    rowsAt(JSON.parse(ruled.reply.text()), 'rules').map((row) => [row['symbol'], row]),
  )
  const bounds = new Map<string, SizedBound>()
  for (const row of rowsAt(JSON.parse(listed.reply.text()), 'markets')) {
    const symbol = String(row['symbol'])
    if (!symbols.has(symbol)) continue
    const { priceRange, baseTick, baseMin, minNotional } = toMarketRules(rules.get(symbol) ?? {})
    const bound = toMarketBound({ mark: toAmount(row['mark_price']), priceRange })
    if (!bound) continue
    bounds.set(symbol, {
      ...bound,
      step: baseTick || 1n,
      sizeMin: baseMin,
      valueMin: minNotional,
    })
  }
  return bounds
}
