import { computed } from '@preact/signals'
import { liveMarkets } from '../market/state.ts'
import { infoReading, ordersReading, positionsReading } from './state.ts'
import { toAccountAtMarks } from './totals.ts'

/** The account for margin computations, at current mark prices; null before its positions have been read. */
export const marginAccount = computed(() => {
  const answers = {
    positions: positionsReading.value.data,
    orders: ordersReading.value.data,
    info: infoReading.value.data,
  }
  return toAccountAtMarks(
    answers,
    new Map(liveMarkets.value.map(({ symbol, mark }) => [symbol, mark])),
  )
})
