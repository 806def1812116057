import { computed, effect, signal } from '@preact/signals'
import type { Topic } from '../feed/feed.ts'
import { followed } from '../feed/service.ts'
import { markets, symbol, usedSymbols } from '../market/state.ts'
import { conditionalsOf } from './conditional.ts'
import { read } from './relay.ts'
import { isIsolatedIn, limitsOf, marked, ordersOf, positionsOf, summaryOf } from './rows.ts'
import { keyState, session } from './session.ts'

export const LIVE_MS = 5000
export const SLOW_MS = 15_000

/** The lists under the chart. */
export const LISTS = [
  'positions',
  'orders',
  'conditional',
  'history',
  'fills',
  'funding',
  'balances',
] as const

export type ListName = (typeof LISTS)[number]

/** The list that is open: only what is looked at is read often. */
export const openList = signal<ListName>('positions')

export const ROWS = 'page=1&size=100'
/** Every open order: the venue allows no more, and all of them count for margin. */
const OPEN_ROWS = 'page=1&size=500'

/** A private read of whoever is signed in; null while nobody is, or the key is not taken. */
export function accountTopic(
  path: string,
  everyMs: number,
  topics: readonly string[] = [],
): Topic | null {
  const key = session.value
  if (!key || keyState.value !== 'active') return null
  const name = `account ${key.accountId} ${key.publicKey} ${path}`
  // Messages of an account lack fields that are shown: each is only a reason to read again.
  const live = { kind: 'change', topics } as const
  return { name, everyMs, policy: 'relay', load: () => read(key, path), live }
}

export const positionsReading = followed(() =>
  accountTopic('/v1/positions', LIVE_MS, ['positions', 'balances']),
)
export const ordersReading = followed(() =>
  accountTopic(`/v1/orders?status=INCOMPLETE&${OPEN_ROWS}`, LIVE_MS, ['orders']),
)
/** A conditional order has no topic of its own: orders and positions change when one is sent. */
export const conditionalReading = followed(() =>
  accountTopic(`/v1/algo/orders?status=INCOMPLETE&${ROWS}`, LIVE_MS, ['orders', 'positions']),
)
const infoReading = followed(() => accountTopic('/v1/client/info', SLOW_MS))
const modesReading = followed(() => accountTopic('/v1/client/margin_modes', SLOW_MS))

/** Whether orders of a market have a margin of their own. */
export function isIsolated(name: string): boolean {
  return isIsolatedIn(modesReading.value.data, name)
}

const leverageReading = followed(() =>
  symbol.value ? accountTopic(leveragePath(symbol.value, isIsolated(symbol.value)), SLOW_MS) : null,
)

/** Where the leverage of a market is read, in a margin mode. */
export function leveragePath(name: string, isOwn: boolean): string {
  return `/v1/client/leverage?symbol=${name}${isOwn ? '&margin_mode=ISOLATED' : ''}`
}

/** Whether everything that an order is judged by has been read, or cannot be. */
export const isAccountKnown = computed(() =>
  [positionsReading, ordersReading, infoReading, modesReading, leverageReading].every(
    ({ value: { data, failure } }) => data !== null || failure !== null,
  ),
)

effect(() => {
  const used = positionsOf(positionsReading.value.data)
  usedSymbols.value = used.map((row) => row.symbol).join(' ')
})

/** What the account has in each market that it uses: a position, or open orders alone. */
export const usedMarkets = computed(() => {
  const marks = new Map(markets.value.map((market) => [market.symbol, market.mark]))
  return positionsOf(positionsReading.value.data).map((row) => marked(row, marks.get(row.symbol)))
})

export const positions = computed(() => usedMarkets.value.filter(({ size }) => size !== 0n))

export const orders = computed(() => ordersOf(ordersReading.value.data))

export const conditionals = computed(() => conditionalsOf(conditionalReading.value.data))

/** The account's margin and fees. */
export const summary = computed(() =>
  summaryOf(positionsReading.value.data, infoReading.value.data, leverageReading.value.data),
)

/** How the account's margin grows in a market, and the largest value it may have there. */
export function marketLimits(name: string) {
  return limitsOf(infoReading.value.data, name)
}
