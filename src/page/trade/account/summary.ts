import { computed } from '@preact/signals'
import { rowsAsRead } from './live-rows.ts'
import { positionsOf } from './rows.ts'
import { infoReading, leverageReading, positionsReading, usedMarkets } from './state.ts'
import { summaryAtMarks, summaryOf } from './totals.ts'

/** The account's margin and fees; null before they have been read. */
export const summary = computed(() => {
  const { data } = positionsReading.value
  const read = summaryOf(data, infoReading.value.data, leverageReading.value.data)
  return read && summaryAtMarks(read, positionsOf({ rows: rowsAsRead(data) }), usedMarkets.value)
})
