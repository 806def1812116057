import { computed } from '@preact/signals'
import { knownDayTotals } from './day.ts'
import { marginAccount } from './margin-account.ts'
import { positionsReading, usedMarkets } from './state.ts'
import { accountSummary, dayPnlAtMarks } from './totals.ts'

/** The account's figures at current mark prices; null before they have been read. */
export const summary = computed(() => {
  const { value: account } = marginAccount
  return account && accountSummary(account)
})

/** The change of the account's value in 24 hours, by cause; null for an unknown part. */
export const accountDayPnl = computed(() =>
  dayPnlAtMarks(positionsReading.value.data, knownDayTotals.value, usedMarkets.value),
)
