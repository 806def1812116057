import { computed, type ReadonlySignal } from '@preact/signals'
import { type Exact, rowsOf, textOf } from '../../common/exact-json.ts'
import { near } from '../../common/format.ts'
import type { Reading } from '../feed/feed.ts'
import { followed } from '../feed/service.ts'
import { fillsOf } from './fills.ts'
import { CHARGES_MAX, fundingSince, fundingsOf } from './funding.ts'
import { ordersOf, type Position } from './rows.ts'
import {
  accountTopic,
  LIVE_MS,
  type ListName,
  openList,
  positions,
  ROWS,
  SLOW_MS,
} from './state.ts'

/** A list that is read only while it is open. */
function whileOpen(
  list: ListName,
  path: string,
  topics: readonly string[],
): ReadonlySignal<Reading> {
  return followed(() => (openList.value === list ? accountTopic(path, LIVE_MS, { topics }) : null))
}

export const historyReading = whileOpen('history', `/v1/orders?status=COMPLETED&${ROWS}`, [
  'orders',
])
export const fillsReading = whileOpen('fills', `/v1/trades?${ROWS}`, ['fills'])
export const fundingReading = whileOpen('funding', `/v1/funding_fee/history?${ROWS}`, [])
export const balancesReading = whileOpen('balances', '/v1/client/holding', ['balances'])

/** The funding of all open positions, since the first of them was opened. */
const chargesReading = followed(() => {
  const sinceMs = Math.min(...positions.value.map(({ openedAtMs }) => openedAtMs ?? Infinity))
  if (openList.value !== 'positions' || !Number.isFinite(sinceMs)) return null
  const path = `/v1/funding_fee/history?page=1&size=${CHARGES_MAX}&start_t=${sinceMs}`
  return accountTopic(path, SLOW_MS)
})

/** The last closed positions. An open position was opened after the last one of its market was closed. */
const closedReading = followed(() =>
  openList.value === 'positions' && positions.value.length > 0
    ? accountTopic('/v1/position_history?limit=100', SLOW_MS)
    : null,
)

/** The funding that a position has received since it was opened, negative when it paid; null while it is unknown. */
export function fundingOf(position: Position): bigint | null {
  const [charges, closed] = [chargesReading.value.data, closedReading.value.data]
  if (charges === null || closed === null) return null
  return fundingSince(fundingsOf(charges), closed, position)
}

export const history = computed(() => ordersOf(historyReading.value.data))
export const fills = computed(() => fillsOf(fillsReading.value.data))
export const fundings = computed(() => fundingsOf(fundingReading.value.data))
export const balances = computed(() => holdingsOf(balancesReading.value.data))

/** The tokens of `GET /v1/client/holding`. */
function holdingsOf(answer: Exact) {
  return rowsOf(answer, 'holding').map((row) => ({
    token: textOf(row, 'token'),
    amount: near(textOf(row, 'holding')),
    frozen: near(textOf(row, 'frozen')),
  }))
}
