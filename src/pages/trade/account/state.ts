import { computed, effect, signal } from '@preact/signals'
import { CONDITIONALS, POSITIONS } from '../../../perp/figure-reads.ts'
import { type Exact, memberText } from '../../common/exact-json.ts'
import type { FeedTopic, LiveUpdates } from '../feed/feed.ts'
import { feed, followTopic } from '../feed/service.ts'
import { liveMarkets, symbol, usedSymbols } from '../market/state.ts'
import { conditionalOrders } from './conditional.ts'
import { withOrders, withPositions } from './live-rows.ts'
import { rememberOrders } from './order-events.ts'
import { read } from './relay.ts'
import {
  accountOrders,
  accountPositions,
  imrFactorIn,
  isIsolatedIn,
  positionAtMark,
} from './rows.ts'
import { keyState, session } from './session.ts'
import type { KeptKey } from './trading-key.ts'

export const LIVE_MS = 5000
/** Interval of reads whose answers rarely change except by this account's own writes. */
export const SLOW_MS = 120_000
const CONDITIONAL_MS = 45_000

/** The lists under the chart. */
export const LISTS = [
  'positions',
  'orders',
  'conditional',
  'history',
  'closed',
  'fills',
  'funding',
  'balances',
] as const

export type ListName = (typeof LISTS)[number]

/** The open list; only a visible list is read often. */
export const openList = signal<ListName>('positions')

export const ROWS = 'page=1&size=100'
/** The query for all open orders, because each open order counts for margin. 500 is the venue's maximum. */
const OPEN_ROWS = 'page=1&size=500'

/** The live topics that change a private read. `patched` merges their rows. */
type LiveTopics = Partial<Pick<Extract<LiveUpdates, { kind: 'change' }>, 'topics' | 'patched'>>

/** A private read of the signed-in account; null without an active key. */
export function accountTopic(
  path: string,
  everyMs: number,
  live: LiveTopics = {},
): FeedTopic | null {
  const key = session.value
  if (!key || keyState.value !== 'active') return null
  return {
    ...{ name: topicName(key, path), everyMs, policy: 'relay', isShared: true },
    load: () => read(key, path),
    live: { kind: 'change', topics: [], ...live },
  }
}

/** The name under which the page follows a private read. */
export function topicName({ accountId, publicKey }: KeptKey, path: string): string {
  return `account ${accountId} ${publicKey} ${path}`
}

export const OPEN_ORDERS = `/v1/orders?status=INCOMPLETE&${OPEN_ROWS}`

export const positionsReading = followTopic(() =>
  accountTopic(POSITIONS, LIVE_MS, {
    topics: ['positions', 'balances', 'fills'],
    patched: withPositions,
  }),
)
export const ordersReading = followTopic(() =>
  accountTopic(OPEN_ORDERS, LIVE_MS, { topics: ['orders'], patched: withKeptOrders }),
)

function withKeptOrders(read: Exact, topic: string, rows: readonly Exact[]) {
  rememberOrders(rows)
  return withOrders(read, topic, rows)
}

/** Conditional orders are polled, because they have no live topic. */
export const conditionalReading = followTopic(() => accountTopic(CONDITIONALS, CONDITIONAL_MS))

/** Reads the account's topics whose path starts with `path`, after a short delay that combines several changes. */
export function readAgain(path: string): void {
  const key = session.peek()
  if (key) feed.want(topicName(key, path))
}

export const infoReading = followTopic(() => accountTopic('/v1/client/info', SLOW_MS))
const modesReading = followTopic(() => accountTopic('/v1/client/margin_modes', SLOW_MS))

/** Whether orders in a market use isolated margin. */
export function isIsolated(name: string): boolean {
  return isIsolatedIn(modesReading.value.data, name)
}

const leverageReading = followTopic(() =>
  symbol.value ? accountTopic(leveragePath(symbol.value, isIsolated(symbol.value)), SLOW_MS) : null,
)

/** The path of a market's leverage in a margin mode; `isOwn` means isolated. */
export function leveragePath(name: string, isOwn: boolean): string {
  return `/v1/client/leverage?symbol=${name}${isOwn ? '&margin_mode=ISOLATED' : ''}`
}

/** Whether every read that checking an order needs has succeeded or failed. */
export const isAccountKnown = computed(() =>
  [positionsReading, ordersReading, infoReading, modesReading, leverageReading].every(
    ({ value: { data, failure } }) => data !== null || failure !== null,
  ),
)

effect(() => {
  const used = accountPositions(positionsReading.value.data)
  usedSymbols.value = used.map((row) => row.symbol).join(' ')
})

/** The account's rows, at current mark prices, in each market where it has a position or open orders. */
export const usedMarkets = computed(() => {
  const marks = new Map(liveMarkets.value.map((market) => [market.symbol, market.mark]))
  return accountPositions(positionsReading.value.data).map((row) =>
    positionAtMark(row, marks.get(row.symbol)),
  )
})

export const heldPositions = computed(() => usedMarkets.value.filter(({ size }) => size !== 0n))

export const orders = computed(() => accountOrders(ordersReading.value.data))

export const conditionals = computed(() => conditionalOrders(conditionalReading.value.data))

/** Changes when an order or position changes: only then can a waiting order have been sent, or have lost its position. */
const openKeys = computed(() =>
  [
    ...usedMarkets.value.map((row) => `${row.symbol} ${row.isIsolated} ${row.size}`),
    ...orders.value.map(({ id }) => id),
  ].join(),
)

effect(() => {
  if (openKeys.value !== '' && conditionals.peek().length > 0) readAgain(CONDITIONALS)
})

/** The account's `imr_factor` in a market. It determines how fast margin rates grow with the position's value. */
export function imrFactor(name: string): number {
  return imrFactorIn(infoReading.value.data, name)
}

/** The leverage of the next order in the shown market. */
export const nextLeverage = computed(
  () =>
    Number(memberText(leverageReading.value.data, 'leverage')) ||
    Number(memberText(infoReading.value.data, 'max_leverage')) ||
    1,
)
