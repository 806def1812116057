import { computed, effect, signal } from '@preact/signals'
import { divided, onGrid, times } from '../../common/amounts.ts'
import { ONE } from '../../common/format.ts'
import { orders } from '../account/state.ts'
import { book, market, rule, symbol } from '../market/state.ts'
import type { Side } from './check.ts'
import { currentAccount } from './current-account.ts'
import { estimateOf } from './estimate.ts'
import { judge, largestOf, oppositeOf, referenceOf } from './judge.ts'
import { priceInput, type } from './switches.ts'
import { typed } from './text.ts'

export const UNITS = ['base', 'quote', 'percent'] as const

/** The ticket as it is filled in. */
export const side = signal<Side>('BUY')
export const sizeInput = signal('')
export const unit = signal<(typeof UNITS)[number]>('base')
export const isReduceOnly = signal(false)
export const slippageInput = signal('0.5')

// A price of one market is none of another.
effect(() => {
  if (symbol.value === '') return
  priceInput.value = ''
  sizeInput.value = ''
})

/** The price of the order; null for MARKET, or when none is given. */
export const price = computed(() => (type.value === 'MARKET' ? null : typed(priceInput.value)))

/** The fraction that a MARKET order may slip; null without one that may be sent. */
export const slippage = computed(() => {
  const given = type.value === 'MARKET' ? typed(slippageInput.value) : null
  return given === null || given <= 0n || given > SLIPPAGE_MAX_PERCENT ? null : given / 100n
})

const SLIPPAGE_MAX_PERCENT = 3n * ONE

/** What the account has in the market that is shown; null while nobody trades. */
export const account = computed(() => currentAccount(symbol.value))

/** The order without its size. */
const shape = computed(() => ({
  ...{ side: side.value, type: type.value, price: price.value },
  ...{ isReduceOnly: isReduceOnly.value, slippage: slippage.value },
  ...oppositeOf(book.value, orders.value, symbol.value, side.value),
  mark: market.value?.mark ?? 0n,
}))

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
    unit.value === 'quote'
      ? divided(given, referenceOf(shape.value))
      : times(largest.value, given / 100n)
  // Below the least size a step up is what was meant; the check says what it takes.
  return onGrid(wanted, step, wanted < sizeMin ? 0n : sizeMin, 'floor')
})

/** What the venue would do with the order; null while price or size is missing. */
export const verdict = computed(() => {
  const { value: limits } = rule
  const { value: amount } = size
  const isPriced = type.value === 'MARKET' ? slippage.value !== null : price.value !== null
  if (!limits || amount === null || !isPriced) return null
  return judge(limits, { ...shape.value, size: amount }, account.value)
})

/** What the order would cost and leave, as far as the book and the account show; null for one that cannot be. */
export const estimate = computed(() => {
  const { value: limits } = rule
  const { value: found } = verdict
  const { value: amount } = size
  if (!limits || !found || amount === null) return null
  if (found.problems.length > 0 || found.excess !== null || found.fate !== null) return null
  const order = { ...shape.value, size: amount, price: referenceOf(shape.value), fill: found.fill }
  const estimated = estimateOf(limits, order, account.value)
  return estimated && { ...estimated, taken: found.fill.size }
})
