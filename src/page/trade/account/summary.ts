import { computed } from '@preact/signals'
import { marginAccount } from './margin-account.ts'
import { positionsReading, usedMarkets } from './state.ts'
import { summaryOf } from './totals.ts'

/** The figures of the account at the marks of now; null before they have been read. */
export const summary = computed(() => {
  const { value: account } = marginAccount
  return account && summaryOf(account, positionsReading.value.data, usedMarkets.value)
})
