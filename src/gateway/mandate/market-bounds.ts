import { exactNumber, SCALE } from '../../core/decimals.ts'
import { isObject, rowsAt } from '../../core/json.ts'
import { marketRules, markets } from '../market/markets.ts'
import type { MarketDeps } from '../market/shaped.ts'
import type { SizedBound } from './worst-case.ts'

/** The mark price of these markets, how far from it orders may execute and their sizes, from kept answers. Throws Failure. */
export async function marketBounds(
  deps: MarketDeps,
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
    const info = rules.get(symbol)?.['info']
    const ruleOf = (name: string) => exactNumber(isObject(info) ? info[name] : null, SCALE)
    const mark = exactNumber(row['mark_price'], SCALE)
    const priceRange = ruleOf('price_range')
    if (mark === null || priceRange === null) continue
    const [step, sizeMin, valueMin] = [
      ruleOf('base_tick'),
      ruleOf('base_min'),
      ruleOf('min_notional'),
    ]
    const sizes = { step: step || 1n, sizeMin: sizeMin ?? 0n, valueMin: valueMin ?? 0n }
    bounds.set(symbol, { mark, priceRange, ...sizes })
  }
  return bounds
}
