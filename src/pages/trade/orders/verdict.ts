import { computed } from '@preact/signals'
import { product } from '../../../perp/amounts.ts'
import { RESTING_TYPES } from '../../../perp/order-match.ts'
import { marketRule, shownMarket } from '../market/state.ts'
import { waitingOrderVerdict } from './conditional.ts'
import {
  hasKindFields,
  price,
  shownMarketState,
  sizelessOrder,
  ticketAccount,
  ticketSize,
  trigger,
  type,
  valuationPrice,
  waitsForMark,
} from './draft.ts'
import { estimated } from './estimate.ts'
import { arrivingOrderVerdict, inMode } from './judge.ts'

/** The venue's verdict on the order; null while price or size is missing. */
export const verdict = computed(() => {
  const { value: limits } = marketRule
  const { value: amount } = ticketSize
  if (!limits || amount === null || !hasKindFields.value) return null
  if (!waitsForMark.value)
    return (
      shownMarketState.value &&
      arrivingOrderVerdict(
        shownMarketState.value,
        { ...sizelessOrder.value, quantity: amount },
        ticketAccount.value,
      )
    )
  const mark = shownMarket.value?.mark ?? 0n
  const draft = {
    ...sizelessOrder.value,
    price: price.value,
    trigger: trigger.value,
    quantity: amount,
    mark,
  }
  return waitingOrderVerdict(limits, draft, ticketAccount.value)
})

/**
 * The estimated cost and result of the order, from the book and the account. Null for an order that is incomplete or
 * would be refused.
 */
export const estimate = computed(() => {
  const { value: found } = verdict
  const { value: amount } = ticketSize
  if (!shownMarketState.value || !found || amount === null || found.problems.length > 0) return null
  // The venue computes a waiting order's cost only at its trigger, so no figures are shown.
  if (!found.match) {
    const price = valuationPrice.value
    return { price, value: product(amount, price), figures: null, taken: 0n, worst: null }
  }
  if (found.excess !== null || found.fate !== null) return null
  const order = inMode({ ...sizelessOrder.value, quantity: amount }, ticketAccount.value)
  const { quantity: taken, worst } = found.match.fill
  const shown = estimated(shownMarketState.value, order, found.match, ticketAccount.value)
  return shown && { ...shown, taken, worst }
})

/**
 * The fill of an order that the book can fill only partly within its bounds, so that the venue cancels the rest. Null
 * for an order that fills completely.
 */
export const shortFill = computed(() => {
  const fill = verdict.value?.match?.fill
  const { value: amount } = ticketSize
  // A FOK order either fills completely or not at all.
  const isCut = !RESTING_TYPES.has(type.value) && type.value !== 'FOK'
  if (!fill || amount === null || !isCut) return null
  const { quantity: filled, worst } = fill
  return filled < amount && worst !== null ? { filled, amount, worst } : null
})
