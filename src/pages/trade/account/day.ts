import { computed } from '@preact/signals'
import { MANDATE_PATH } from '../../../contract/act-paths.ts'
import { FUNDING_AGE_MAX_MS, neededRows } from '../../../perp/limit-figures.ts'
import { DAY_READS, type PeriodRows, parseDayTotals, positionsDay } from '../../../perp/pnl.ts'
import { serverSecond } from '../feed/clock.ts'
import { followTopic } from '../feed/service.ts'
import { parseMandate } from './signed-limits.ts'
import { accountTopic, positionsReading, SLOW_MS } from './state.ts'

const mandateReading = followTopic(() => accountTopic(MANDATE_PATH, SLOW_MS))

/** The limits that the account's wallet has signed; null while they are unknown. */
export const signedLimits = computed(() => parseMandate(mandateReading.value.data))

/** The kinds of 24-hour rows that checking the limits needs. */
const neededByLimits = computed(() => {
  const { data } = positionsReading.value
  return signedLimits.value ? neededRows(signedLimits.value.limits, positionsDay(Object(data))) : []
})

/** The paths of the reads of 24-hour rows that the limits need. */
export const neededDayReads = computed(() => neededByLimits.value.map((name) => DAY_READS[name]))

/**
 * Funding is always read, because the page shows it. If limits need funding, it is read more often: the relay accepts a
 * read for little more than a minute.
 */
const dayReading = (name: keyof PeriodRows, topics: readonly string[] = []) =>
  followTopic(() => {
    const isNeeded = neededByLimits.value.includes(name)
    const isFunding = name === 'funding'
    if (!isNeeded && !isFunding) return null
    const everyMs = isNeeded && isFunding ? FUNDING_AGE_MAX_MS : SLOW_MS
    return accountTopic(DAY_READS[name], everyMs, { topics })
  })
const [fillsReading, fundingReading, liquidationsReading] = [
  dayReading('fills', ['fills']),
  dayReading('funding'),
  dayReading('liquidations'),
]

/** The totals of the last 24 hours, as far as they have been read. */
export const knownDayTotals = computed(() =>
  parseDayTotals(
    {
      fills: fillsReading.value.data,
      funding: fundingReading.value.data,
      liquidations: liquidationsReading.value.data,
    },
    serverSecond.peek(),
  ),
)
