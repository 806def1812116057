import { computed, effect, signal } from '@preact/signals'
import { ONE } from '../../common/format.ts'
import { positions, summary } from '../account/state.ts'
import { book, market, rule, symbol } from '../market/state.ts'
import { absolute, divided, onGrid, times } from './amounts.ts'
import { checkOrder, largestSize, type Side } from './check.ts'
import { estimateOf, fillOf } from './estimate.ts'
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

const opposite = computed(() => (side.value === 'BUY' ? book.value.asks : book.value.bids))

const mark = computed(() => market.value?.mark ?? 0n)

/** What values an order: its own price, else the best one opposite, else the mark. */
const reference = computed(() => price.value ?? opposite.value[0]?.price ?? mark.value)

const held = computed(() => positions.value.find((row) => row.symbol === symbol.value)?.size ?? 0n)

/** The largest size there is: what free margin carries, or what is there to be reduced. */
export const largest = computed(() => {
  const { value: limits } = rule
  const { value: account } = summary
  if (isReduceOnly.value) {
    const isReducing = side.value === 'BUY' ? held.value < 0n : held.value > 0n
    return isReducing ? absolute(held.value) : 0n
  }
  if (!limits || !account) return 0n
  const leverage = Math.min(account.leverage || 1, limits.maxLeverage)
  return largestSize(limits, {
    ...{ free: account.free, leverage, price: reference.value },
    feeRate: account.takerFee,
  })
})

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

/** What breaks the market's rules, with the value that would not. */
export const problems = computed(() => {
  const { value: limits } = rule
  const { value: amount } = size
  if (!limits || amount === null || (type.value !== 'MARKET' && price.value === null)) return []
  return checkOrder(limits, {
    ...{ side: side.value, price: price.value, size: amount, reference: reference.value },
    ...{ mark: mark.value, isReduceOnly: isReduceOnly.value },
  })
})

/** The fraction that a MARKET order may slip; null without one. */
export const slippage = computed(() => {
  const given = type.value === 'MARKET' ? typed(slippageInput.value) : null
  return given === null || given <= 0n ? null : given / 100n
})

export const SLIPPAGE_MAX = (3n * ONE) / 100n

/** What the order would cost and leave, as far as the book and the account tell. */
export const estimate = computed(() => {
  const { value: limits } = rule
  const { value: amount } = size
  if (!limits || amount === null || amount === 0n || reference.value === 0n) return null
  const taken = fillOf(opposite.value, side.value, amount, price.value)
  const rests = type.value === 'LIMIT' || type.value === 'POST_ONLY'
  const isTaker = taken.size > 0n && type.value !== 'POST_ONLY'
  const at = isTaker ? taken.average : reference.value
  const { value: account } = summary
  const figures =
    account &&
    estimateOf(
      limits,
      {
        side: side.value,
        size: amount,
        price: at,
        feeRate: isTaker ? account.takerFee : account.makerFee,
      },
      {
        ...{ collateral: account.collateral, held: held.value, mark: mark.value },
        ...{ otherMaintenance: otherMaintenance(), leverage: account.leverage },
      },
    )
  return { price: at, value: times(amount, at), taken, rests, figures }
})

/** Maintenance margin of positions in other markets. */
function otherMaintenance(): bigint {
  return positions.value
    .filter((row) => row.symbol !== symbol.value)
    .reduce((sum, row) => sum + times(times(absolute(row.size), row.mark), row.maintenance), 0n)
}
