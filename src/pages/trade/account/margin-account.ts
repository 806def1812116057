import { computed } from '@preact/signals'
import type { UnreadablePart } from '../../../perp/margin-account.ts'
import { liveMarkets } from '../market/state.ts'
import { infoReading, ordersReading, positionsReading } from './state.ts'
import { toAccountAtMarks, unreadableAnswer } from './totals.ts'

const answers = computed(() => ({
  positions: positionsReading.value.data,
  orders: ordersReading.value.data,
  info: infoReading.value.data,
}))

/** The account for margin computations, at current mark prices; null while it is unknown. */
export const marginAccount = computed(() =>
  toAccountAtMarks(
    answers.value,
    new Map(liveMarkets.value.map(({ symbol, mark }) => [symbol, mark])),
  ),
)

/** The part of the account that cannot be read: `account` if an answer is missing. Null if all parts are known. */
export const unknownPart = computed<
  UnreadablePart | { readonly part: 'account'; readonly name: string } | null
>(() => {
  const { positions, orders, info } = answers.value
  if (!positions || !orders || !info) return { part: 'account', name: '' }
  return marginAccount.value ? null : unreadableAnswer(answers.value)
})
