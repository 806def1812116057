import { isMultiple } from '../../core/decimals.ts'
import type { Side } from '../exchange/state.ts'
import type { Instrument } from '../market/feed.ts'
import { ONE, VALUE_PER_MICRO } from '../units.ts'
import { type RefusalName, refusal } from '../wire/refusals.ts'

/** What the market's filters look at. Prices and quantities have eight decimals. */
export type Candidate = {
  readonly instrument: Instrument
  readonly side: Side
  /** Null for MARKET, which no price filter applies to. */
  readonly price: bigint | null
  /** The price that values the order: its own, or the best opposite one. */
  readonly reference: bigint
  readonly quantity: bigint
  readonly visible: bigint | null
  readonly mark: bigint
  /** A reduce-only order over the whole position: it may be worth less than the minimum, or dust could never be closed. */
  readonly isFullClose: boolean
}

/** Throws the first refusal of a market's filters: -1005, -1103, -1104, -1102, -1105, in this order. */
export function checkOrder(candidate: Candidate): void {
  const broken = FILTERS.find(({ breaks }) => breaks(candidate))
  if (broken) throw refusal(broken.refusal, broken.message)
}

type Filter = {
  readonly refusal: RefusalName
  readonly message: string
  readonly breaks: (candidate: Candidate) => boolean
}

const FILTERS: readonly Filter[] = [
  {
    refusal: 'parameter',
    message: 'visible_quantity must be between 0 and order_quantity',
    breaks: ({ visible, quantity }) => visible !== null && (visible < 0n || visible > quantity),
  },
  {
    refusal: 'price',
    message: 'The order price is below the minimum price (quote_min).',
    breaks: ({ price, instrument }) => price !== null && price < instrument.quoteMin,
  },
  {
    refusal: 'price',
    message: 'The order price is above the maximum price (quote_max).',
    breaks: ({ price, instrument }) => price !== null && price > instrument.quoteMax,
  },
  {
    refusal: 'price',
    message: 'The order price is not on the tick size (quote_tick).',
    breaks: ({ price, instrument }) =>
      price !== null && !isMultiple(price, instrument.quoteTick, instrument.quoteMin),
  },
  {
    refusal: 'size',
    message: 'The order quantity is below the minimum (base_min).',
    breaks: ({ quantity, instrument }) => quantity < instrument.baseMin,
  },
  {
    refusal: 'size',
    message: 'The order quantity is above the maximum (base_max).',
    breaks: ({ quantity, instrument }) => quantity > instrument.baseMax,
  },
  {
    refusal: 'size',
    message: 'The order quantity is not on the step size (base_tick).',
    breaks: ({ quantity, instrument }) =>
      !isMultiple(quantity, instrument.baseTick, instrument.baseMin),
  },
  {
    refusal: 'size',
    message: 'The visible quantity is not on the step size (base_tick).',
    breaks: ({ visible, instrument }) =>
      visible !== null && !isMultiple(visible, instrument.baseTick),
  },
  {
    refusal: 'notional',
    message: 'The order value (price x size) is below the minimum (min_notional).',
    breaks: ({ isFullClose, reference, quantity, instrument }) =>
      !isFullClose && reference * quantity < instrument.minNotional * VALUE_PER_MICRO,
  },
  {
    refusal: 'percentage',
    message: 'The price is too far through the mark price (price_range).',
    breaks: ({ side, price, mark, instrument: { priceRange } }) =>
      price !== null &&
      (side === 'BUY'
        ? price * ONE > mark * (ONE + priceRange)
        : price * ONE < mark * (ONE - priceRange)),
  },
  {
    refusal: 'percentage',
    message: 'The price is too far away from the mark price (price_scope).',
    breaks: ({ side, price, mark, instrument: { priceScope } }) =>
      price !== null &&
      (side === 'BUY'
        ? price * ONE < mark * (ONE - priceScope)
        : price * ONE > mark * (ONE + priceScope)),
  },
]
