import { followTopic } from '../feed/service.ts'
import { CHARGES_MAX, fundingCharges, fundingSince } from './funding.ts'
import type { AccountPosition } from './rows.ts'
import { accountTopic, heldPositions, openList, SLOW_MS } from './state.ts'

/** The funding of all open positions since the earliest opening. */
const chargesReading = followTopic(() => {
  const sinceMs = Math.min(...heldPositions.value.map(({ openedAtMs }) => openedAtMs ?? Infinity))
  if (openList.value !== 'positions' || !Number.isFinite(sinceMs)) return null
  const path = `/v1/funding_fee/history?page=1&size=${CHARGES_MAX}&start_t=${sinceMs}`
  return accountTopic(path, SLOW_MS)
})

/** The maximum number of closed positions in one answer, which the venue gives without pages. */
export const CLOSED_MAX = 100
export const CLOSED_POSITIONS = `/v1/position_history?limit=${CLOSED_MAX}`

/** The last closed positions. An open position was opened after the last close in its market. */
const closedReading = followTopic(() =>
  openList.value === 'positions' && heldPositions.value.length > 0
    ? accountTopic(CLOSED_POSITIONS, SLOW_MS)
    : null,
)

/** The funding that a position has received since it was opened, negative if it paid; null if unknown. */
export function positionFunding(position: AccountPosition): bigint | null {
  const [charges, closed] = [chargesReading.value.data, closedReading.value.data]
  if (charges === null || closed === null) return null
  return fundingSince(fundingCharges(charges), closed, position)
}
