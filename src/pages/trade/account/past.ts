import { computed, type ReadonlySignal } from '@preact/signals'
import { type Exact, memberRows, memberText } from '../../common/exact-json.ts'
import { displayDecimal } from '../../common/format.ts'
import type { TopicReading } from '../feed/feed.ts'
import { followTopic } from '../feed/service.ts'
import { accountFills } from './fills.ts'
import { CHARGES_MAX, fundingCharges, fundingSince } from './funding.ts'
import { type AccountPosition, accountOrders } from './rows.ts'
import {
  accountTopic,
  heldPositions,
  LIVE_MS,
  type ListName,
  openList,
  ROWS,
  SLOW_MS,
} from './state.ts'

/** Follows a list's path only while the list is open. */
function whileOpen(
  list: ListName,
  path: string,
  topics: readonly string[],
): ReadonlySignal<TopicReading> {
  return followTopic(() =>
    openList.value === list ? accountTopic(path, LIVE_MS, { topics }) : null,
  )
}

export const historyReading = whileOpen('history', `/v1/orders?status=COMPLETED&${ROWS}`, [
  'orders',
])
export const fillsReading = whileOpen('fills', `/v1/trades?${ROWS}`, ['fills'])
export const fundingReading = whileOpen('funding', `/v1/funding_fee/history?${ROWS}`, [])
export const balancesReading = whileOpen('balances', '/v1/client/holding', ['balances'])

/** The funding of all open positions since the earliest opening. */
const chargesReading = followTopic(() => {
  const sinceMs = Math.min(...heldPositions.value.map(({ openedAtMs }) => openedAtMs ?? Infinity))
  if (openList.value !== 'positions' || !Number.isFinite(sinceMs)) return null
  const path = `/v1/funding_fee/history?page=1&size=${CHARGES_MAX}&start_t=${sinceMs}`
  return accountTopic(path, SLOW_MS)
})

/** The last closed positions. An open position was opened after the last close in its market. */
const closedReading = followTopic(() =>
  openList.value === 'positions' && heldPositions.value.length > 0
    ? accountTopic('/v1/position_history?limit=100', SLOW_MS)
    : null,
)

/** The funding that a position has received since it was opened, negative if it paid; null if unknown. */
export function positionFunding(position: AccountPosition): bigint | null {
  const [charges, closed] = [chargesReading.value.data, closedReading.value.data]
  if (charges === null || closed === null) return null
  return fundingSince(fundingCharges(charges), closed, position)
}

export const history = computed(() => accountOrders(historyReading.value.data))
export const fills = computed(() => accountFills(fillsReading.value.data))
export const fundings = computed(() => fundingCharges(fundingReading.value.data))
export const balances = computed(() => tokenHoldings(balancesReading.value.data))

/** The tokens of `GET /v1/client/holding`. */
function tokenHoldings(answer: Exact) {
  return memberRows(answer, 'holding').map((row) => ({
    token: memberText(row, 'token'),
    amount: displayDecimal(memberText(row, 'holding')),
    frozen: displayDecimal(memberText(row, 'frozen')),
  }))
}
