import { exactNumber } from '../../core/decimals.ts'
import { isObject } from '../../core/json.ts'
import { marketRules, markets } from '../market/markets.ts'
import type { MarketDeps } from '../market/shaped.ts'
import type { MarketBound } from './worst-case.ts'

const SCALE = 18

/** The mark price of these markets and how far from it orders may execute, from answers that are kept. Throws Failure. */
export async function marketBounds(
  deps: MarketDeps,
  symbols: ReadonlySet<string>,
): Promise<ReadonlyMap<string, MarketBound>> {
  const [listed, ruled] = await Promise.all([markets(deps), marketRules(deps)])
  const rules = new Map(rowsIn(ruled.reply.text(), 'rules').map((row) => [row['symbol'], row]))
  const bounds = new Map<string, MarketBound>()
  for (const row of rowsIn(listed.reply.text(), 'markets')) {
    const symbol = String(row['symbol'])
    if (!symbols.has(symbol)) continue
    const info = rules.get(symbol)?.['info']
    const mark = exactNumber(row['mark_price'], SCALE)
    const priceRange = exactNumber(isObject(info) ? info['price_range'] : null, SCALE)
    if (mark !== null && priceRange !== null) bounds.set(symbol, { mark, priceRange })
  }
  return bounds
}

function rowsIn(text: string, name: string): readonly Record<string, unknown>[] {
  const answer: unknown = JSON.parse(text)
  const rows = isObject(answer) ? answer[name] : null
  return Array.isArray(rows) ? rows.filter(isObject) : []
}
