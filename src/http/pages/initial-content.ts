import { ROUTES } from '../../contract/routes.ts'
import { Failure } from '../../core/failure.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import type { Clock } from '../../core/ports.ts'
import { parseQuery, type Query } from '../../core/query.ts'
import type { Answer } from '../../gateway/cache/answer.ts'
import { admitRead, type ReadWindows } from '../../gateway/limits/admission.ts'
import type { TimedMarketAccess } from '../../gateway/market/cached-answers.ts'
import { candles } from '../../gateway/market/candles.ts'
import { config } from '../../gateway/market/config.ts'
import { marketRules, markets } from '../../gateway/market/markets.ts'
import {
  type Exact,
  memberRows,
  memberText,
  memberValue,
  readExact,
} from '../../pages/common/exact-json.ts'
import {
  changeTone,
  compact,
  displayDecimal,
  fixedText,
  percent,
  signed,
  tickPlaces,
} from '../../pages/common/format.ts'
import { product, toAmount } from '../../perp/amounts.ts'
import type { InitialContent } from './bundle.ts'

/** The initial content of a page that shows the named market. */
export type ReadInitialContent = (name: string, limitKey: string) => Promise<InitialContent>

type InitialContentOptions = {
  readonly deps: TimedMarketAccess
  readonly limiter: ReadWindows
  readonly clock: Clock
}

type Read = { readonly path: string; readonly text: string }

/**
 * Maximum wait for an answer, longer than a cached answer takes. The page itself requests the answers that take longer.
 */
const WAIT_MS = 100

/** The page's default interval and row counts, as in src/pages/trade/market/state.ts. */
const CANDLES = '&interval=15m&limit=500'
const TRADES = '&limit=50'

/**
 * Creates the page's initial content: the first answers as inert data, and preload links for answers that are never
 * cached. Each answer is charged like a request, and left out if it is refused or slow.
 */
export function createInitialContent({
  deps,
  limiter,
  clock,
}: InitialContentOptions): ReadInitialContent {
  const marketRows = createMarketRows()

  async function read(
    path: string,
    limitKey: string,
    verb: (query: Query) => Answer | Promise<Answer>,
  ): Promise<readonly Read[]> {
    try {
      admitRead(limiter, limitKey)
      const [, search = ''] = path.split('?')
      const late = Bun.sleep(WAIT_MS).then(() => null)
      const answer = await Promise.race([verb(parseQuery(search)), late])
      return answer ? [{ path, text: new TextDecoder().decode(answer.reply.bytes) }] : []
    } catch (error) {
      reportUnexpected('http', error, Failure)
      // If an answer is missing here, the page's script requests it.
      return []
    }
  }

  return async (name, limitKey) => {
    // Rounded to a second, so that unchanged answers give the same document.
    const atMs = Math.floor(clock.nowMs() / 1000) * 1000
    const [listed, rules, settings] = await Promise.all([
      read(ROUTES.markets.path, limitKey, () => markets(deps)),
      read(ROUTES.marketRules.path, limitKey, () => marketRules(deps)),
      read(ROUTES.config.path, limitKey, () => config(deps)),
    ])
    const symbol = shownSymbol(listed[0]?.text, name)
    const path = `${ROUTES.candles.path}?symbol=${symbol}${CANDLES}`
    const rows = symbol ? await read(path, limitKey, (query) => candles(deps, query)) : []
    const beside = symbol
      ? preload(`${ROUTES.orderbook.path}?symbol=${symbol}`) +
        preload(`${ROUTES.trades.path}?symbol=${symbol}${TRADES}`)
      : ''
    const [list, grid] = [listed[0]?.text, rules[0]?.text]
    return {
      head: beside,
      body: list && grid ? marketRows(list, grid) : '',
      data: dataBlocks([...listed, ...rules, ...settings, ...rows], atMs),
    }
  }
}

/** The market that the page shows: the named market if it is listed, otherwise the first; '' if the list is unknown. */
function shownSymbol(listed: string | undefined, name: string): string {
  const symbols = [...(listed?.matchAll(/"symbol":"(\w+)"/g) ?? [])].map(
    ([, symbol = '']) => symbol,
  )
  return symbols.find((symbol) => symbol === name) ?? symbols[0] ?? ''
}

function dataBlocks(reads: readonly Read[], atMs: number): string {
  return reads
    .map(
      ({ path, text }) =>
        `<script type="application/json" data-path="${Bun.escapeHTML(path)}" data-at="${atMs}">${escapedJson(text)}</script>`,
    )
    .join('')
}

/** JSON that cannot end the script element around it. `<` occurs only in strings, where the escape is equivalent. */
function escapedJson(json: string): string {
  return json.replaceAll('<', '\\u003c')
}

function preload(path: string): string {
  return `<link rel="preload" as="fetch" crossorigin href="${Bun.escapeHTML(path)}">`
}

// An empty head above the rows, so that the rows do not move when the script draws the list.
const LIST_START =
  '<header></header><main data-tab="chart"><section class="panel markets"><div class="head"><input type="search" disabled></div>' +
  '<fieldset class="choices groups"></fieldset><div class="scroll"><table><thead><tr><th><button type="button" class="sort">&nbsp;</button>' +
  '<button type="button" class="sort">&nbsp;</button></th></tr></thead><tbody>'
const LIST_END = '</tbody></table></div></section></main>'

/** Renders the list of markets as HTML from the answers of two routes. The list is visible before the script runs. */
type MarketRows = (markets: string, rules: string) => string

/**
 * Returns a function that renders the rows of the market list. The page's script replaces these rows. Unchanged rules
 * are not parsed again.
 */
function createMarketRows(): MarketRows {
  let known = { rules: '', places: new Map<string, number>() }
  return (markets, rules) => {
    if (rules !== known.rules) known = { rules, places: placesIn(readExact(rules)) }
    const rows = memberRows(readExact(markets), 'markets').map((row) =>
      marketRow(row, known.places.get(memberText(row, 'symbol')) ?? DEFAULT_PLACES),
    )
    return LIST_START + rows.join('') + LIST_END
  }
}

const DEFAULT_PLACES = 2

function placesIn(rules: Exact): Map<string, number> {
  return new Map(
    memberRows(rules, 'rules').map((row) => [
      memberText(row, 'symbol'),
      tickPlaces(toAmount(memberText(memberValue(row, 'info'), 'quote_tick'))),
    ]),
  )
}

function marketRow(market: Exact, places: number): string {
  const value = (name: string) => displayDecimal(memberText(market, name))
  const changePct = value('change24hPct')
  const interest = compact(product(value('open_interest'), value('mark_price')))
  const change = `<td><span class="${changeTone(changePct, 2)}">${signed(changePct, 2)}%</span><small>${interest}</small></td>`
  const price = `<td>${fixedText(value('mark_price'), places)}<small>${percent(value('est_funding_rate'), 4)}</small></td>`
  const name = `<td><button type="button" class="name">${Bun.escapeHTML(memberText(market, 'base'))}</button><small>${compact(value('24h_amount'))}</small></td>`
  return `<tr>${name}${price}${change}</tr>`
}
