import { computed } from '@preact/signals'
import { times } from '../../../perp/amounts.ts'
import { market, rule } from '../market/state.ts'
import type { OrderType } from './check.ts'
import { judgeWaiting } from './conditional.ts'
import {
  account,
  isPriced,
  isWaiting,
  now,
  price,
  reference,
  shape,
  size,
  trigger,
  type,
} from './draft.ts'
import { estimated } from './estimate.ts'
import { judge, toOrder } from './judge.ts'

/** What the venue would do with the order; null while price or size is missing. */
export const verdict = computed(() => {
  const { value: limits } = rule
  const { value: amount } = size
  if (!limits || amount === null || !isPriced.value) return null
  if (!isWaiting.value)
    return now.value && judge(now.value, { ...shape.value, size: amount }, account.value)
  const mark = market.value?.mark ?? 0n
  const draft = { ...shape.value, price: price.value, trigger: trigger.value, size: amount, mark }
  return judgeWaiting(limits, draft, account.value)
})

/** What the order would cost and leave, as far as the book and the account show; null for one that cannot be. */
export const estimate = computed(() => {
  const { value: found } = verdict
  const { value: amount } = size
  if (!now.value || !found || amount === null || found.problems.length > 0) return null
  // What an order that waits will cost is judged by the account as it is then.
  if (!found.match) {
    const price = reference.value
    return { price, value: times(amount, price), figures: null, taken: 0n, worst: null }
  }
  if (found.excess !== null || found.fate !== null) return null
  const order = toOrder({ ...shape.value, size: amount }, account.value?.mode)
  const { quantity: taken, worst } = found.match.fill
  const shown = estimated(now.value, order, found.match, account.value)
  return shown && { ...shown, taken, worst }
})

/** What a market order leaves, because the book has less within its bounds: it is cancelled. Null where it fills whole. */
export const shortFill = computed(() => {
  const fill = verdict.value?.match?.fill
  const { value: amount } = size
  if (!fill || amount === null || RESTING.has(type.value)) return null
  const { quantity: filled, worst } = fill
  return filled < amount && worst !== null ? { filled, amount, worst } : null
})

/** Order types of which what does not fill at once rests, or of which nothing fills then. */
const RESTING: ReadonlySet<OrderType> = new Set(['LIMIT', 'POST_ONLY', 'FOK'])
