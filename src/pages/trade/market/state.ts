import { computed, effect, signal } from '@preact/signals'
import { DAY_MS, INTERVALS, type Interval, MINUTE_MS } from '../../../contract/durations.ts'
import { amountNumber } from '../../../perp/amounts.ts'
import { parseBook } from '../../../perp/book.ts'
import { navigateTo, shownPage } from '../../common/address.ts'
import { metaContent, takeEmbeddedAnswer } from '../../common/document.ts'
import { memberText } from '../../common/exact-json.ts'
import { displayDecimal, fixedText, tickPlaces } from '../../common/format.ts'
import { keptSignal } from '../../common/kept.ts'
import { withCandles } from '../feed/candle-rows.ts'
import type { FeedTopic, LiveUpdates } from '../feed/feed.ts'
import { feed, followTopic, followTopics, pathTopic } from '../feed/service.ts'
import {
  type ChartCandle,
  chartCandles,
  rulesBySymbol,
  statusTrouble,
  toListedMarkets,
  tradeRows,
  withFunding,
} from './rows.ts'

/** The name of the service, from the document's head. */
export const SERVICE = metaContent('service')

/** Whether this server trades without real money: on a live market's data (paper), or on any simulated venue (embedded). */
export const IS_PAPER = metaContent('venue') === 'paper'
export const IS_EMBEDDED = IS_PAPER || metaContent('venue') === 'embedded'

const BOOK_EVERY_MS = 1000
const REST_EVERY_MS = 5000
const RULES_EVERY_MS = 600_000
const FUNDING_EVERY_MS = 15_000
const STATUS_EVERY_MS = 60_000
/**
 * Maximum number of markets with live mark prices. Other markets have the mark prices of the list, which are a few
 * seconds old.
 */
const MARKS_MAX = 10
/** The delay of requests that the first view does not need. */
const SETTLED_MS = 1500
const ROWS = { candles: 500, trades: 50 } as const

/** A topic that the first view needs. Its first answer may have come with the document. */
function topic(path: string, everyMs: number, live?: LiveUpdates): FeedTopic {
  return { ...pathTopic(path, everyMs), first: takeEmbeddedAnswer(path), ...(live && { live }) }
}

/** Live updates by a topic whose messages are the data itself, as snapshot or change. */
function pushed(name: string) {
  return { kind: 'data', topics: [name] } as const
}

const marketsWatch = feed.watch(
  topic('/api/prep/markets', REST_EVERY_MS, pushed('tickers.changes')),
)
const rulesWatch = feed.watch(topic('/api/prep/market-rules', RULES_EVERY_MS))
const stepsWatch = feed.watch(topic('/api/prep/config', RULES_EVERY_MS))

export const marketsReading = marketsWatch.reading
/** The leverages that the venue offers. */
export const leverageSteps = computed<readonly number[]>(() => {
  const { data } = stepsWatch.reading.value
  const list = typeof data === 'object' && data !== null && Reflect.get(data, 'leverageSteps')
  return Array.isArray(list) ? list.map(Number) : []
})
const listed = computed(() => toListedMarkets(marketsReading.value.data))
export const rules = computed(() => rulesBySymbol(rulesWatch.reading.value.data))

/** The symbol in the address, which may be unknown. */
const wanted = signal(symbolOfAddress())

/**
 * The shown market's symbol: the symbol in the address, else the symbol of the first market; '' until markets are
 * loaded.
 */
export const symbol = computed(() => {
  const known = listed.value
  const found = known.find((market) => market.symbol === wanted.value) ?? known[0]
  return found?.symbol ?? ''
})

/** The unknown symbol in the address; empty for a known symbol. */
export const unknownSymbol = computed(() => {
  const name = wanted.value
  if (name === '' || listed.value.length === 0) return ''
  return listed.value.some((market) => market.symbol === name) ? '' : name
})

/** Whether requests that the first view does not need may be sent. */
export const isSettled = signal(false)
setTimeout(() => {
  isSettled.value = true
}, SETTLED_MS)

/** The symbols of the markets that the account uses, separated by spaces. */
export const usedSymbols = signal('')

/** Live mark prices of the shown market and of the markets that the account uses. */
const markReadings = followTopics(() => {
  const names = new Set([symbol.value, ...usedSymbols.value.split(' ')].filter(Boolean))
  return isSettled.value ? [...names].slice(0, MARKS_MAX).map(markTopic) : []
})

function markTopic(name: string): FeedTopic {
  const live = pushed(`mark:${name}`)
  return { name: `mark ${name}`, everyMs: DAY_MS, policy: 'read', load: async () => null, live }
}

/** The markets, with live mark prices if available. */
export const liveMarkets = computed(() => {
  const marks = new Map(
    markReadings.value
      .filter(({ isLive }) => isLive)
      .map(({ data }) => [
        memberText(data, 'symbol'),
        displayDecimal(memberText(data, 'mark_price')),
      ]),
  )
  return listed.value.map((row) => ({ ...row, mark: marks.get(row.symbol) ?? row.mark }))
})

/** The mark price of a market; zero while unknown. */
export function marketMark(name: string): bigint {
  return liveMarkets.value.find((row) => row.symbol === name)?.mark ?? 0n
}

const fundingReading = followTopic(() =>
  isSettled.value
    ? ofMarket('funding', '', FUNDING_EVERY_MS, pushed(`funding:${symbol.value}`))
    : null,
)
const statusReading = followTopic(() =>
  isSettled.value ? topic('/api/prep/op/platform.status', STATUS_EVERY_MS, pushed('status')) : null,
)

/** The shown market with its current funding. */
export const shownMarket = computed(() => {
  const row = liveMarkets.value.find((each) => each.symbol === symbol.value)
  return row ? withFunding(row, fundingReading.value.data) : null
})

/** The venue's message during an outage or maintenance; empty otherwise. */
export const venueTrouble = computed(() => statusTrouble(statusReading.value.data))
export const marketRule = computed(() => rules.value.get(symbol.value) ?? null)

/** The number of decimal places of prices and sizes of the shown market. */
export const decimalPlaces = computed(() => ({
  price: tickPlaces(marketRule.value?.quoteTick),
  size: tickPlaces(marketRule.value?.baseTick),
}))

/** The interval of the shown candles. */
export const interval = keptSignal<Interval>(
  'interval',
  (text) => INTERVALS.find((name) => name === text) ?? '15m',
  String,
)

export const bookReading = followTopic(() =>
  ofMarket('orderbook', '', BOOK_EVERY_MS, pushed(`orderbook:${symbol.value}`)),
)
export const tradesReading = followTopic(() =>
  ofMarket('trades', `&limit=${ROWS.trades}`, REST_EVERY_MS, pushed(`trades:${symbol.value}`)),
)
export const candlesReading = followTopic(() =>
  ofMarket('candles', `&interval=${interval.value}&limit=${ROWS.candles}`, REST_EVERY_MS, {
    ...pushed(`candles:${symbol.value}:${interval.value}`),
    // Merged, because live data has fewer candles than an answer.
    joined: withCandles,
  }),
)

export const book = computed(() => parseBook(bookReading.value.data))
export const recentTrades = computed(() => tradeRows(tradesReading.value.data))

/** A topic of the shown market; null on other pages than trading, which show no market. */
function ofMarket(
  route: string,
  rest: string,
  everyMs: number,
  live: LiveUpdates,
): FeedTopic | null {
  if (symbol.value === '' || shownPage.value !== '') return null
  return topic(`/api/prep/${route}?symbol=${symbol.value}${rest}`, everyMs, live)
}

/** Shows another market and puts it into the address. */
export function showMarket(name: string): void {
  wanted.value = name
  navigateTo(`/trade/${encodeURIComponent(name)}`)
}

addEventListener('popstate', () => {
  if (shownPage.peek() === '') wanted.value = symbolOfAddress()
})

effect(() => {
  if (shownPage.value !== '') return
  const { value } = shownMarket
  const last = recentTrades.value[0]?.price ?? value?.mark
  const price = last ? fixedText(last, decimalPlaces.value.price) : ''
  document.title = value ? `${price} ${value.base} · ${SERVICE}` : SERVICE
})

function symbolOfAddress(): string {
  if (shownPage.peek() !== '') return ''
  const [, name = ''] = /^\/trade\/(.+)$/.exec(location.pathname) ?? []
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** The offset that makes the chart, which has no time zones, show local time. */
export function zoneOffsetMs(atMs: number): number {
  return new Date(atMs).getTimezoneOffset() * MINUTE_MS
}

const candles = computed(() => chartCandles(candlesReading.value.data, zoneOffsetMs))

/** The candles. The latest trade updates the last candle. */
export const liveCandles = computed<readonly ChartCandle[]>(() => {
  const rows = candles.value
  const last = rows.at(-1)
  const trade = recentTrades.value[0]
  if (!last || !trade) return rows
  const at = (trade.atMs - zoneOffsetMs(trade.atMs)) / 1000
  if (at < last.time || trade.atMs <= candlesReading.value.atMs) return rows
  const close = amountNumber(trade.price)
  const { high, low } = last
  const live = { ...last, close, high: Math.max(high, close), low: Math.min(low, close) }
  return [...rows.slice(0, -1), live]
})
