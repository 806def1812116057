import { computed, type ReadonlySignal } from '@preact/signals'
import { shownPage } from '../../common/address.ts'
import { memberRows, memberText, memberValue } from '../../common/exact-json.ts'
import { memberFigure } from '../../common/figure.ts'
import { read } from '../account/relay.ts'
import { accountPositions } from '../account/rows.ts'
import { session } from '../account/session.ts'
import { accountTopic, positionsReading } from '../account/state.ts'
import type { TopicReading } from '../feed/feed.ts'
import { followTopic } from '../feed/service.ts'
import { changesByDay, equityChanges, equityCurve } from './changes.ts'
import { type RecordName, readHistory } from './records.ts'

const HISTORY_EVERY_MS = 60_000

/** Follows a history of the account while the portfolio is shown. */
function history(name: RecordName, topics: readonly string[]): ReadonlySignal<TopicReading> {
  return followTopic(() => {
    const key = session.value
    if (shownPage.value !== 'portfolio' || !key) return null
    const topic = accountTopic(`history ${name}`, HISTORY_EVERY_MS, { topics })
    return topic && { ...topic, load: () => readHistory(name, (path) => read(key, path)) }
  })
}

export const statisticsReading = followTopic(() =>
  shownPage.value === 'portfolio' ? accountTopic('/v1/client/statistics', HISTORY_EVERY_MS) : null,
)

const HISTORIES = {
  fills: history('fills', ['fills']),
  funding: history('funding', []),
  transfers: history('transfers', ['balances']),
} as const

const HISTORY_NAMES = ['fills', 'funding', 'transfers'] as const

/** The first failure among the reads of histories; null without a failure. */
export const historyFailure = computed(
  () =>
    HISTORY_NAMES.map((name) => HISTORIES[name].value.failure).find((found) => found !== null) ??
    null,
)

/** Every change of the equity; null until all histories are read. */
const changes = computed(() => {
  const { fills, funding, transfers } = HISTORIES
  const [f, u, t] = [fills.value.data, funding.value.data, transfers.value.data]
  if (f === null || u === null || t === null) return null
  return equityChanges({ fills: f, funding: u, transfers: t })
})

const TIME = {
  fills: 'executed_timestamp',
  funding: 'created_time',
  transfers: 'created_time',
} as const

/** The time since which all histories are complete; 0 if they are complete from the start. */
export const knownSinceMs = computed(() => {
  const oldest = HISTORY_NAMES.map((name) => {
    const { data } = HISTORIES[name].value
    if (data === null || memberValue(data, 'isWhole') === true) return 0
    return Number(memberText(memberRows(data, 'rows').at(-1), TIME[name]))
  })
  return Math.max(...oldest)
})

/** The account's days with changes, the latest first; null before they are known. */
export const days = computed(() => changes.value && changesByDay(changes.value, knownSinceMs.value))

/** The account's current figures from the venue; null before they are read. */
export const accountNow = computed(() => {
  const { data, atMs } = positionsReading.value
  if (data === null) return null
  const rows = accountPositions(data)
  const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n)
  return {
    atMs,
    equity: memberFigure(data, 'account_value'),
    free: memberFigure(data, 'free_collateral'),
    unrealized: sum(rows.map(({ unrealized }) => unrealized)),
    unsettled: sum(rows.map(({ unsettled }) => unsettled)),
  }
})

/** The equity without unrealised PnL after each change, and now; null before it is known. */
export const curve = computed(() => {
  const [now, known] = [accountNow.value, changes.value]
  if (!known || now === null || now.equity === null) return null
  const last = { atMs: now.atMs, value: now.equity - now.unrealized }
  return equityCurve(known, last, knownSinceMs.value)
})
