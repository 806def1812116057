import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { Reading, Topic } from '../feed/feed.ts'
import { followed } from '../feed/followed.ts'
import { symbol } from '../market/state.ts'
import { read } from './relay.ts'
import { fillsOf, fundingsOf, holdingsOf, ordersOf, positionsOf, summaryOf } from './rows.ts'
import { session, standing } from './session.ts'

const LIVE_MS = 5000
const SLOW_MS = 15_000

/** The lists under the chart. */
export const LISTS = ['positions', 'orders', 'history', 'fills', 'funding', 'balances'] as const

export type ListName = (typeof LISTS)[number]

/** The list that is open: only what is looked at is read often. */
export const openList = signal<ListName>('positions')

const ROWS = 'page=1&size=100'

/** A private read of whoever is signed in; null while nobody is, or the key is not taken. */
function topic(path: string, everyMs: number): Topic | null {
  const key = session.value
  if (!key || standing.value !== 'active') return null
  const name = `account ${key.accountId} ${key.publicKey} ${path}`
  return { name, everyMs, policy: 'relay', load: () => read(key, path) }
}

function whileOpen(list: ListName, path: string): ReadonlySignal<Reading> {
  return followed(() => (openList.value === list ? topic(path, LIVE_MS) : null))
}

export const positionsReading = followed(() => topic('/v1/positions', LIVE_MS))
export const ordersReading = followed(() => topic(`/v1/orders?status=INCOMPLETE&${ROWS}`, LIVE_MS))
const infoReading = followed(() => topic('/v1/client/info', SLOW_MS))
const leverageReading = followed(() =>
  symbol.value ? topic(`/v1/client/leverage?symbol=${symbol.value}`, SLOW_MS) : null,
)
export const historyReading = whileOpen('history', `/v1/orders?status=COMPLETED&${ROWS}`)
export const fillsReading = whileOpen('fills', `/v1/trades?${ROWS}`)
export const fundingReading = whileOpen('funding', `/v1/funding_fee/history?${ROWS}`)
export const balancesReading = whileOpen('balances', '/v1/client/holding')

export const positions = computed(() => positionsOf(positionsReading.value.data))
export const orders = computed(() => ordersOf(ordersReading.value.data))
export const history = computed(() => ordersOf(historyReading.value.data))
export const fills = computed(() => fillsOf(fillsReading.value.data))
export const fundings = computed(() => fundingsOf(fundingReading.value.data))
export const balances = computed(() => holdingsOf(balancesReading.value.data))

/** The account's margin and fees. */
export const summary = computed(() =>
  summaryOf(positionsReading.value.data, infoReading.value.data, leverageReading.value.data),
)
