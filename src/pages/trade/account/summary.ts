import { computed } from '@preact/signals'
import { dayTotals } from './day.ts'
import { marginAccount } from './margin-account.ts'
import { positionsReading, usedMarkets } from './state.ts'
import { dayPnlAtMarks, summaryOf } from './totals.ts'

/** The figures of the account at the marks of now; null before they have been read. */
export const summary = computed(() => {
  const { value: account } = marginAccount
  return account && summaryOf(account)
})

/** The change of the account's value in 24 hours, in parts; a part is null while it is unknown. */
export const dayPnl = computed(() =>
  dayPnlAtMarks(positionsReading.value.data, dayTotals.value, usedMarkets.value),
)
