import { computed, signal } from '@preact/signals'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contract/durations.ts'
import { memberRows, memberText } from '../../common/exact-json.ts'
import { keptNames } from '../../common/kept.ts'
import { nowMs } from '../../common/world.ts'
import { followTopic, pathTopic } from '../feed/service.ts'
import type { ListedMarket } from './rows.ts'

/** The groups of markets that the list offers. */
export const GROUPS = ['all', 'favourites', 'crypto', 'rwa', 'new'] as const

export type Group = (typeof GROUPS)[number]

export const group = signal<Group>('all')

/** The trading hours of markets for stocks, commodities and currencies. */
const SESSIONS = pathTopic('/api/prep/market-sessions', MINUTE_MS)

export const sessionsReading = followTopic(() => SESSIONS)

/** The markets for stocks, commodities and currencies; null before they are read. */
export const sessionSymbols = computed(() => {
  const { data } = sessionsReading.value
  return data === null ? null : new Set(memberRows(data, 'symbols'))
})

/** Base assets that are metals, energy, shares, indices or currencies, for venues that publish no trading hours. */
const REAL_WORLD: ReadonlySet<string> = new Set(
  (
    'CL BZ SMSN XAU XAG XPT XPD XCU PAXG WTI BRENT USOIL NATGAS NGAS COPPER GOLD SILVER EUR GBP JPY CHF AUD CAD ' +
    'EURUSD GBPUSD USDJPY SPX SPX500 SPY QQQ NAS100 NDX US30 US500 DJI DAX GER40 JP225 HK50 ' +
    'AAPL AMD AMZN BABA COIN CRCL GOOG GOOGL HOOD INTC META MSFT MSTR NFLX NVDA ORCL PLTR TSLA TSM'
  ).split(' '),
)

/** Maximum age of a market in the group `new`. */
const NEW_MS = 30 * DAY_MS

/** The listing time of each market, read only while the group `new` is chosen. */
export const listedReading = followTopic(() =>
  group.value === 'new' ? pathTopic('/api/prep/op/markets.rules', HOUR_MS) : null,
)

const newSymbols = computed(() => {
  const sinceMs = nowMs() - NEW_MS
  const rows = memberRows(listedReading.value.data, 'rows')
  return new Set(
    rows
      .filter((row) => Number(memberText(row, 'created_time')) >= sinceMs)
      .map((row) => memberText(row, 'symbol')),
  )
})

/** The symbols that the user has marked, stored in this browser. */
export const favourites = keptNames('favourites')

/** Adds a market to the favourites, or removes it. */
export function toggleFavourite(symbol: string): void {
  const next = new Set(favourites.peek())
  if (!next.delete(symbol)) next.add(symbol)
  favourites.value = next
}

/** Whether a market belongs to the chosen group. */
export function isInGroup({ symbol, base }: ListedMarket): boolean {
  if (group.value === 'favourites') return favourites.value.has(symbol)
  if (group.value === 'new') return newSymbols.value.has(symbol)
  if (group.value === 'all') return true
  const isRealWorld = sessionSymbols.value?.has(symbol) || REAL_WORLD.has(base)
  return isRealWorld === (group.value === 'rwa')
}
