import { type Exact, memberOf, readExact, rowsOf, textOf } from '../../page/common/exact-json.ts'
import { compact, fixed, near, percent, placesOf, signed } from '../../page/common/format.ts'

// What stands above the rows is there and empty, so that they do not move when the page's own list comes.
const BEFORE =
  '<header></header><main data-tab="chart"><section class="panel markets"><div class="head"><input type="search" disabled></div>' +
  '<div class="scroll"><table><thead><tr><th><button type="button" class="sort">&nbsp;</button></th></tr></thead><tbody>'
const AFTER = '</tbody></table></div></section></main>'

/** The list of markets as it is seen before the script has come, out of the answers to two routes. */
export type MarketRows = (markets: string, rules: string) => string

/** Rows that the page's script puts its own in place of. Rules that are as they were are not read again. */
export function createMarketRows(): MarketRows {
  let known = { rules: '', places: new Map<string, number>() }
  return (markets, rules) => {
    if (rules !== known.rules) known = { rules, places: placesIn(readExact(rules)) }
    const rows = rowsOf(readExact(markets), 'markets').map((row) =>
      rowOf(row, known.places.get(textOf(row, 'symbol')) ?? PLACES),
    )
    return BEFORE + rows.join('') + AFTER
  }
}

const PLACES = 2

function placesIn(rules: Exact): Map<string, number> {
  return new Map(
    rowsOf(rules, 'rules').map((row) => [
      textOf(row, 'symbol'),
      placesOf(textOf(memberOf(row, 'info'), 'quote_tick')),
    ]),
  )
}

function rowOf(market: Exact, places: number): string {
  const value = (name: string) => near(textOf(market, name))
  const changePct = value('change24hPct')
  const change = `<td class="${changePct >= 0n ? 'up' : 'down'}">${signed(changePct, 2)}%</td>`
  const price = `<td>${fixed(value('mark_price'), places)}<small>${percent(value('est_funding_rate'), 4)}</small></td>`
  const name = `<td><button type="button" class="name">${Bun.escapeHTML(textOf(market, 'base'))}</button><small>${compact(value('24h_amount'))}</small></td>`
  return `<tr>${name}${price}${change}</tr>`
}
