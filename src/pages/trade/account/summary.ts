import { computed } from '@preact/signals'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../contract/durations.ts'
import { rowsAt } from '../../../core/json.ts'
import { serverSecond } from '../feed/clock.ts'
import { followed } from '../feed/service.ts'
import { CHARGES_MAX } from './funding.ts'
import { marginAccount } from './margin-account.ts'
import { accountTopic, positionsReading, usedMarkets } from './state.ts'
import { dayPnlAtMarks, summaryOf } from './totals.ts'

/** The figures of the account at the marks of now; null before they have been read. */
export const summary = computed(() => {
  const { value: account } = marginAccount
  return account && summaryOf(account)
})

/** The hour whose funding can be read: it settles on the hour, and a minute later it is in every answer. */
const hour = computed(() => Math.floor((serverSecond.value - MINUTE_MS) / HOUR_MS) * HOUR_MS)

const dayFundingReading = followed(() => {
  const path = `/v1/funding_fee/history?page=1&size=${CHARGES_MAX}&start_t=${hour.value - DAY_MS}`
  return accountTopic(path, HOUR_MS)
})

/** What 24 hours changed the account's value by; each part is null while it is unknown. */
export const dayPnl = computed(() => {
  const { data } = positionsReading.value
  const charges = dayFundingReading.value.data
  const rows = rowsAt(charges, 'rows')
  const funding = charges === null || rows.length >= CHARGES_MAX ? null : rows
  return dayPnlAtMarks(data, funding, usedMarkets.value, serverSecond.peek())
})
