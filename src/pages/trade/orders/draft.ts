import { computed, effect, signal } from '@preact/signals'
import { MINUTE_MS } from '../../../contract/durations.ts'
import { ONE } from '../../../core/decimals.ts'
import { product, roundedToStep } from '../../../perp/amounts.ts'
import { opposite } from '../../../perp/book.ts'
import { referencePrice } from '../../../perp/order-match.ts'
import type { Side } from '../../../perp/positions.ts'
import { book, marketRule, shownMarket, symbol } from '../market/state.ts'
import type { LimitType, TicketOrderType } from './check.ts'
import { LEGS, type LegPrices } from './conditional.ts'
import { currentAccount } from './current-account.ts'
import { FIELDS, type FieldName, typedIn } from './fields.ts'
import { inputText } from './inputs.ts'
import { largestTicketSize, marketNow, sizeForUsdc } from './judge.ts'
import {
  equalSizes,
  SCALED_MAX,
  SLICE_EVERY_MIN_MS,
  SLICES_MAX,
  type SplitOrder,
  scaled,
} from './split.ts'
import { kind, pickedPrice } from './switches.ts'

/** The choices in the ticket. */
export const side = signal<Side>('BUY')
export const limitType = signal<LimitType>('LIMIT')
export const unit = signal<'base' | 'quote' | 'percent'>('base')
export const isReduceOnly = signal(false)

/** For a stop: the type of the order that the venue sends at the trigger. */
export const sentType = signal<'MARKET' | 'LIMIT'>('MARKET')

/** Whether the user wants to attach a take-profit or stop-loss. */
export const wantsLegs = signal(false)

/** Removes the legs from the ticket, because they belonged to the order that was sent. */
export function dropLegs(): void {
  wantsLegs.value = false
  clearFields(LEGS)
}

function clearFields(names: readonly FieldName[]): void {
  for (const name of names) FIELDS[name].input.value = ''
}

// A change of market clears the prices, which are meaningless in another market.
effect(() => {
  if (symbol.value !== '') clearFields(['price', 'end', 'trigger', 'activation', 'size', ...LEGS])
})

// A price picked in the book becomes the trigger of a stop, or the limit price of any other order.
effect(() => {
  const { value: picked } = pickedPrice
  if (picked === null) return
  pickedPrice.value = null
  const isStop = kind.peek() === 'STOP'
  FIELDS[isStop ? 'trigger' : 'price'].input.value = inputText(picked)
  if (!isStop) kind.value = 'LIMIT'
})

/** Whether the venue sends the order only at a mark price. */
export const waitsForMark = computed(() => kind.value === 'STOP' || kind.value === 'TRAILING_STOP')

/** The type of the order that reaches the book, now or at its trigger. */
export const type = computed<TicketOrderType>(() => {
  if (kind.value === 'LIMIT') return limitType.value
  if (kind.value === 'SCALED') return limitType.value === 'POST_ONLY' ? 'POST_ONLY' : 'LIMIT'
  return kind.value === 'STOP' ? sentType.value : 'MARKET'
})

/** Whether a take-profit and stop-loss may be attached: the venue attaches them only to LIMIT and MARKET orders. */
export const mayHaveLegs = computed(
  () =>
    ['LIMIT', 'MARKET'].includes(kind.value) &&
    !isReduceOnly.value &&
    ['LIMIT', 'MARKET'].includes(type.value),
)

/** Whether the order is sent with legs. */
export const hasLegs = computed(() => mayHaveLegs.value && wantsLegs.value)

/** The triggers of the legs; null for an absent leg. */
export const legs = computed<LegPrices>(() => ({
  TAKE_PROFIT: hasLegs.value ? typedIn('TAKE_PROFIT') : null,
  STOP_LOSS: hasLegs.value ? typedIn('STOP_LOSS') : null,
}))

/** The limit price of the order; null for a market order, and while the field is empty. */
export const price = computed(() => (type.value === 'MARKET' ? null : typedIn('price')))

/** The last price of a scaled order. */
export const endPrice = computed(() => (kind.value === 'SCALED' ? typedIn('end') : null))

/** The whole number in a field; null if it is missing or out of bounds. */
function wholeIn(name: FieldName, min: number, max: number): number | null {
  const value = typedIn(name)
  if (value === null || value % ONE !== 0n) return null
  const partCount = Number(value / ONE)
  return partCount >= min && partCount <= max ? partCount : null
}

/** The number of orders or parts into which the order is split; null without a valid number. */
export const partCount = computed(() => {
  if (kind.value === 'SCALED') return wholeIn('count', 2, SCALED_MAX)
  return kind.value === 'TWAP' ? wholeIn('slices', 2, SLICES_MAX) : null
})

/** The duration of a time-weighted order in minutes; null without a valid number. */
export const durationMinutes = computed(() => wholeIn('minutes', 1, MINUTES_MAX))

/**
 * The time in ms between two parts of a time-weighted order; null without valid fields, and for a time below the
 * minimum.
 */
export const everyMs = computed(() => {
  if (kind.value !== 'TWAP' || durationMinutes.value === null || partCount.value === null)
    return null
  const ms = (durationMinutes.value * MINUTE_MS) / (partCount.value - 1)
  return ms >= SLICE_EVERY_MIN_MS ? ms : null
})

const MINUTES_MAX = 1440

/** The trigger of a stop, and the mark price at which a trailing stop starts; null while the field is empty. */
export const trigger = computed(() => (kind.value === 'STOP' ? typedIn('trigger') : null))
export const activation = computed(() =>
  kind.value === 'TRAILING_STOP' ? typedIn('activation') : null,
)

/** A trailing stop's distance as a fraction; null without a valid distance. */
export const callback = computed(() => {
  const given = kind.value === 'TRAILING_STOP' ? typedIn('callback') : null
  return given === null || given <= 0n || given >= 100n * ONE ? null : given / 100n
})

/** The mark price that triggers a waiting order. For a trailing stop: its trigger if the mark price turned at its start. */
export const waitingTrigger = computed(() => {
  const from = activation.value ?? shownMarket.value?.mark ?? null
  if (callback.value === null || from === null) return trigger.value
  return from + product(from, side.value === 'BUY' ? callback.value : -callback.value)
})

/** Whether the order has a slippage field. The venue itself bounds the slippage of an order with legs. */
export const hasSlippage = computed(
  () => kind.value === 'TWAP' || (kind.value === 'MARKET' && !hasLegs.value),
)

/** Maximum slippage of a MARKET order as a fraction; null without a valid input. */
export const slippage = computed(() => {
  const given = hasSlippage.value ? typedIn('slippage') : null
  return given === null || given <= 0n || given > SLIPPAGE_MAX_PERCENT ? null : given / 100n
})

const SLIPPAGE_MAX_PERCENT = 3n * ONE

/** The account in the shown market; null while it is unknown. */
export const ticketAccount = computed(() => currentAccount(symbol.value))

/** The price that represents the whole order: its limit or trigger, and for a scaled order the middle of its range. */
const shownPrice = computed(() => {
  const [from, to] = [price.value, endPrice.value]
  if (from === null || to === null || !marketRule.value) return from ?? waitingTrigger.value
  return roundedToStep((from + to) / 2n, marketRule.value.quoteTick, 'floor')
})

/** The order without its size. */
export const sizelessOrder = computed(() => ({
  ...{ side: side.value, type: type.value, price: shownPrice.value },
  ...{ reduceOnly: isReduceOnly.value, slippage: slippage.value },
}))

/** The shown market's current state; null before its rules are known. */
export const shownMarketState = computed(
  () => marketRule.value && marketNow(marketRule.value, shownMarket.value?.mark ?? 0n, book.value),
)

/** The best price on the side of the book that the order trades against; null if that side is empty. */
export const bestOpposite = computed(() => opposite(book.value, side.value)[0]?.price ?? null)

/** The price that values the order; zero while it is unknown. */
export const valuationPrice = computed(
  () =>
    referencePrice(
      { book: book.value, mark: shownMarket.value?.mark || null },
      sizelessOrder.value,
    ) ?? 0n,
)

/**
 * The largest possible size: the size that margin allows, or for a reduce-only order the size of the position. Null
 * while it is unknown.
 */
export const largestSizeNow = computed(
  () =>
    shownMarketState.value &&
    ticketAccount.value &&
    largestTicketSize(shownMarketState.value, sizelessOrder.value, ticketAccount.value),
)

/** The size in the base asset, rounded to the tick; null without a valid size. */
export const ticketSize = computed(() => {
  const given = typedIn('size')
  const { value: limits } = marketRule
  if (given === null || given <= 0n || !limits) return null
  if (unit.value === 'base') return given
  const wanted =
    unit.value === 'quote'
      ? sizeForUsdc(given, { kind: kind.value, side: side.value }, book.value, valuationPrice.value)
      : largestSizeNow.value && product(largestSizeNow.value, given / 100n)
  // Rounding never raises a size to the minimum; the check reports the minimum instead.
  return wanted && roundedToStep(wanted, limits.baseTick, 'floor')
})

/** Whether all fields that the kind of order needs, apart from the size, are filled in. */
export const hasKindFields = computed(() => {
  if (kind.value === 'TRAILING_STOP') return callback.value !== null
  if (kind.value === 'STOP' && trigger.value === null) return false
  if (kind.value === 'TWAP' && everyMs.value === null) return false
  if (hasSlippage.value) return slippage.value !== null
  if (kind.value === 'SCALED' && (endPrice.value === null || partCount.value === null)) return false
  return type.value === 'MARKET' || price.value !== null
})

/** The orders of a scaled order, or the parts of a time-weighted order; empty for other kinds. */
export const children = computed<readonly SplitOrder[]>(() => {
  const [from, to] = [price.value, endPrice.value]
  if (!marketRule.value || ticketSize.value === null || partCount.value === null) return []
  if (kind.value === 'TWAP')
    return equalSizes(marketRule.value, ticketSize.value, partCount.value).map((part) => ({
      price: null,
      size: part,
    }))
  if (from === null || to === null) return []
  return scaled(marketRule.value, { from, to }, ticketSize.value, partCount.value)
})
