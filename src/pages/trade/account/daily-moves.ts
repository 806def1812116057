import { computed } from '@preact/signals'
import { HOUR_MS } from '../../../contract/durations.ts'
import { dailyMove, MOVE_DAYS, movesBetween } from '../../../perp/daily-move.ts'
import { type Exact, memberRows, memberText } from '../../common/exact-json.ts'
import { followTopics, pathTopic } from '../feed/service.ts'
import { usedSymbols } from '../market/state.ts'
import type { AccountPosition } from './rows.ts'
import { openList } from './state.ts'

/** Maximum number of markets whose daily candles are read. */
const MARKETS_MAX = 10

const names = computed(() =>
  openList.value === 'positions' ? usedSymbols.value.split(' ').slice(0, MARKETS_MAX) : [],
)

const readings = followTopics(() =>
  names.value.filter(Boolean).map((name) => {
    const query = `symbol=${name}&interval=1d&limit=${MOVE_DAYS + 1}`
    return pathTopic(`/api/prep/candles?${query}`, HOUR_MS)
  }),
)

/** The distance of a position from its liquidation price, in mean daily moves of its market; null if it is unknown. */
export function liquidationMoves({ symbol, mark, liquidation }: AccountPosition): number | null {
  const answer = readings.value[names.value.indexOf(symbol)]?.data
  if (!answer || liquidation === 0n) return null
  // The last day is not over.
  const days = memberRows(answer, 'rows').slice(0, -1).map(dayRange)
  return movesBetween(mark, liquidation, dailyMove(days))
}

function dayRange(row: Exact) {
  const [open, high, low] = [
    memberText(row, 'open'),
    memberText(row, 'high'),
    memberText(row, 'low'),
  ]
  return { open: Number(open), high: Number(high), low: Number(low) }
}
