import { computed, type ReadonlySignal } from '@preact/signals'
import { type Exact, memberRows, memberText } from '../../common/exact-json.ts'
import { displayDecimal } from '../../common/format.ts'
import type { TopicReading } from '../feed/feed.ts'
import { followTopic } from '../feed/service.ts'
import { closedPositions } from './closed-positions.ts'
import { accountFills } from './fills.ts'
import { fundingCharges } from './funding.ts'
import { CLOSED_POSITIONS } from './position-funding.ts'
import { accountOrders } from './rows.ts'
import { accountTopic, LIVE_MS, type ListName, openList, ROWS } from './state.ts'

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
export const closedReading = whileOpen('closed', CLOSED_POSITIONS, ['fills'])
export const fillsReading = whileOpen('fills', `/v1/trades?${ROWS}`, ['fills'])
export const fundingReading = whileOpen('funding', `/v1/funding_fee/history?${ROWS}`, [])
export const balancesReading = whileOpen('balances', '/v1/client/holding', ['balances'])

export const history = computed(() => accountOrders(historyReading.value.data))
export const closed = computed(() => closedPositions(closedReading.value.data))
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
