import { readExact } from '../../page/common/exact-json.ts'
import { compact, fixed, percent, placesOf, signed } from '../../page/common/format.ts'
import { type Market, marketsOf, rulesOf } from '../../page/trade/market/rows.ts'

/** The list of markets as it is seen before the script has come, which puts its own in its place. */
export function marketRows(markets: string, rules: string): string {
  const known = rulesOf(readExact(rules))
  const rows = marketsOf(readExact(markets)).map((market) =>
    rowOf(market, placesOf(known.get(market.symbol)?.quoteTick ?? '0.01')),
  )
  return `<header></header><main data-tab="chart"><section class="panel markets"><div class="scroll"><table><tbody>${rows.join('')}</tbody></table></div></section></main>`
}

function rowOf({ base, amount24h, mark, fundingRate, changePct }: Market, places: number): string {
  const change = `<td class="${changePct >= 0n ? 'up' : 'down'}">${signed(changePct, 2)}%</td>`
  const price = `<td>${fixed(mark, places)}<small>${percent(fundingRate, 4)}</small></td>`
  const name = `<td><span class="name">${Bun.escapeHTML(base)}</span><small>${compact(amount24h)}</small></td>`
  return `<tr>${name}${price}${change}</tr>`
}
