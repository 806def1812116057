import { readExact } from '../../page/common/exact-json.ts'
import { compact, fixed, percent, placesOf, signed } from '../../page/common/format.ts'
import { type Market, marketsOf, rulesOf } from '../../page/trade/market/rows.ts'

// What stands above the rows is there and empty, so that they do not move when the page's own list comes.
const BEFORE =
  '<header></header><main data-tab="chart"><section class="panel markets"><div class="head"><input type="search" disabled></div>' +
  '<div class="scroll"><table><thead><tr><th><button type="button" class="sort">&nbsp;</button></th></tr></thead><tbody>'
const AFTER = '</tbody></table></div></section></main>'

/** The list of markets as it is seen before the script has come, which puts its own in its place. */
export function marketRows(markets: string, rules: string): string {
  const known = rulesOf(readExact(rules))
  const rows = marketsOf(readExact(markets)).map((market) =>
    rowOf(market, placesOf(known.get(market.symbol)?.quoteTick ?? '0.01')),
  )
  return BEFORE + rows.join('') + AFTER
}

function rowOf({ base, amount24h, mark, fundingRate, changePct }: Market, places: number): string {
  const change = `<td class="${changePct >= 0n ? 'up' : 'down'}">${signed(changePct, 2)}%</td>`
  const price = `<td>${fixed(mark, places)}<small>${percent(fundingRate, 4)}</small></td>`
  const name = `<td><button type="button" class="name">${Bun.escapeHTML(base)}</button><small>${compact(amount24h)}</small></td>`
  return `<tr>${name}${price}${change}</tr>`
}
