import { computed, effect, signal } from '@preact/signals'
import { divided, onGrid, times } from '../../common/amounts.ts'
import { ONE } from '../../common/format.ts'
import { orders } from '../account/state.ts'
import { book, market, rule, symbol } from '../market/state.ts'
import type { LimitType, OrderType, Side } from './check.ts'
import { judgeWaiting, type LegPrices } from './conditional.ts'
import { currentAccount } from './current-account.ts'
import { estimateOf } from './estimate.ts'
import { judge, largestOf, oppositeOf, referenceOf } from './judge.ts'
import { kind, priceInput, triggerInput } from './switches.ts'
import { typed } from './text.ts'

export const UNITS = ['base', 'quote', 'percent'] as const

/** The ticket as it is filled in. */
export const side = signal<Side>('BUY')
export const limitType = signal<LimitType>('LIMIT')
export const sizeInput = signal('')
export const unit = signal<(typeof UNITS)[number]>('base')
export const isReduceOnly = signal(false)
export const slippageInput = signal('0.5')

/** Of a stop: what is sent at its trigger. */
export const sentType = signal<'MARKET' | 'LIMIT'>('MARKET')

/** Of a trailing stop: how many per cent it stays behind the best mark, and the mark at which it begins; empty is at once. */
export const callbackInput = signal('1')
export const activationInput = signal('')

/** Whether the order has a take profit or a stop loss attached, and where. */
export const wantsLegs = signal(false)
export const legInputs = { TAKE_PROFIT: signal(''), STOP_LOSS: signal('') } as const

// A price of one market is none of another.
effect(() => {
  if (symbol.value === '') return
  for (const input of [priceInput, triggerInput, activationInput, sizeInput]) input.value = ''
  for (const input of Object.values(legInputs)) input.value = ''
})

/** Whether the order waits for the mark before it is sent. */
export const isWaiting = computed(() => kind.value === 'STOP' || kind.value === 'TRAILING_STOP')

/** The type of the order that goes to the book, now or at its trigger. */
export const type = computed<OrderType>(() => {
  if (kind.value === 'LIMIT') return limitType.value
  return kind.value === 'STOP' ? sentType.value : 'MARKET'
})

/** Whether a take profit and a stop loss may be attached: the venue attaches them to what rests or takes at the market. */
export const mayHaveLegs = computed(
  () => !isWaiting.value && !isReduceOnly.value && ['LIMIT', 'MARKET'].includes(type.value),
)

/** Whether the order is sent with legs. */
export const hasLegs = computed(() => mayHaveLegs.value && wantsLegs.value)

/** The triggers of the legs; null for one that there is not. */
export const legs = computed<LegPrices>(() => ({
  TAKE_PROFIT: hasLegs.value ? typed(legInputs.TAKE_PROFIT.value) : null,
  STOP_LOSS: hasLegs.value ? typed(legInputs.STOP_LOSS.value) : null,
}))

/** The price of the order; null for one at the market, or when none is given. */
export const price = computed(() => (type.value === 'MARKET' ? null : typed(priceInput.value)))

/** The trigger of a stop, and the mark at which a trailing stop begins; null when none is given. */
export const trigger = computed(() => (kind.value === 'STOP' ? typed(triggerInput.value) : null))
export const activation = computed(() =>
  kind.value === 'TRAILING_STOP' ? typed(activationInput.value) : null,
)

/** The fraction that a trailing stop stays behind; null without one that may be sent. */
export const callback = computed(() => {
  const given = kind.value === 'TRAILING_STOP' ? typed(callbackInput.value) : null
  return given === null || given <= 0n || given >= 100n * ONE ? null : given / 100n
})

/** Whether the order has a slippage: the venue bounds that of one with legs itself. */
export const hasSlippage = computed(() => kind.value === 'MARKET' && !hasLegs.value)

/** The fraction that a MARKET order may slip; null without one that may be sent. */
export const slippage = computed(() => {
  const given = hasSlippage.value ? typed(slippageInput.value) : null
  return given === null || given <= 0n || given > SLIPPAGE_MAX_PERCENT ? null : given / 100n
})

const SLIPPAGE_MAX_PERCENT = 3n * ONE

/** What the account has in the market that is shown; null while nobody trades. */
export const account = computed(() => currentAccount(symbol.value))

/** The order without its size. */
const shape = computed(() => ({
  ...{ side: side.value, type: type.value, price: price.value ?? trigger.value },
  ...{ isReduceOnly: isReduceOnly.value, slippage: slippage.value },
  ...oppositeOf(book.value, orders.value, symbol.value, side.value),
  mark: market.value?.mark ?? 0n,
}))

/** The price that values the order. */
export const reference = computed(() => referenceOf(shape.value))

/** The largest size there is: what free margin carries, or what is there to be reduced. */
export const largest = computed(() =>
  rule.value && account.value ? largestOf(rule.value, shape.value, account.value) : 0n,
)

/** The size in the base asset, on the step; null while there is none. */
export const size = computed(() => {
  const given = typed(sizeInput.value)
  const { value: limits } = rule
  if (given === null || given <= 0n || !limits) return null
  if (unit.value === 'base') return given
  const { step, sizeMin } = limits
  const wanted =
    unit.value === 'quote' ? divided(given, reference.value) : times(largest.value, given / 100n)
  // Below the least size a step up is what was meant; the check says what it takes.
  return onGrid(wanted, step, wanted < sizeMin ? 0n : sizeMin, 'floor')
})

/** Whether the fields that the kind of order needs besides its size are filled in. */
const isPriced = computed(() => {
  if (kind.value === 'TRAILING_STOP') return callback.value !== null
  if (kind.value === 'STOP' && trigger.value === null) return false
  if (hasSlippage.value) return slippage.value !== null
  return type.value === 'MARKET' || price.value !== null
})

/** What the venue would do with the order; null while price or size is missing. */
export const verdict = computed(() => {
  const { value: limits } = rule
  const { value: amount } = size
  if (!limits || amount === null || !isPriced.value) return null
  if (!isWaiting.value) return judge(limits, { ...shape.value, size: amount }, account.value)
  const draft = { ...shape.value, price: price.value, trigger: trigger.value, size: amount }
  return judgeWaiting(limits, draft, account.value)
})

/** What the order would cost and leave, as far as the book and the account show; null for one that cannot be. */
export const estimate = computed(() => {
  const { value: limits } = rule
  const { value: found } = verdict
  const { value: amount } = size
  if (!limits || !found || amount === null || found.problems.length > 0) return null
  const price = reference.value
  // What an order that waits will cost is judged by the account as it is then.
  if (isWaiting.value) return { price, value: times(amount, price), figures: null, taken: 0n }
  if (found.excess !== null || found.fate !== null) return null
  const order = { ...shape.value, size: amount, price, fill: found.fill }
  const estimated = estimateOf(limits, order, account.value)
  return estimated && { ...estimated, taken: found.fill.size }
})
