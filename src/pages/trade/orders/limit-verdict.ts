import { computed } from '@preact/signals'
import { parseFigures } from '../../../perp/account-exposure.ts'
import { limitFigures } from '../../../perp/limit-figures.ts'
import { type OpeningOrder, toMarketBound, UNKNOWN_ORDER } from '../../../perp/order-worst-case.ts'
import { parseReducing, parseWaiting } from '../../../perp/waiting.ts'
import type { Conditional } from '../account/conditional.ts'
import { knownDayTotals, signedLimits } from '../account/day.ts'
import { conditionalReading, positionsReading } from '../account/state.ts'
import { serverSecond } from '../feed/clock.ts'
import { liveMarkets, marketMark, rules } from '../market/state.ts'
import {
  activation,
  children,
  isReduceOnly,
  price,
  shownMarketState,
  side,
  ticketSize,
  trigger,
  valuationPrice,
  waitsForMark,
} from './draft.ts'
import { kind } from './switches.ts'
import {
  changeLimits,
  openingOrders,
  type SendingMode,
  type TicketLimits,
  ticketLimits,
} from './ticket-limits.ts'
import { verdict } from './verdict.ts'

/** The account figures that the signed limits need; null if there are no limits, or a figure is unknown. */
const figures = computed(() => {
  if (!signedLimits.value) return null
  const bounds = liveMarkets.value.flatMap(({ symbol, mark }) => {
    const bound = toMarketBound({ mark, priceRange: rules.value.get(symbol)?.priceRange ?? null })
    return bound ? [[symbol, bound] as const] : []
  })
  const reads = {
    shown: parseFigures(positionsReading.value.data, serverSecond.peek()),
    waiting: parseWaiting(conditionalReading.value.data),
    day: knownDayTotals.value,
  }
  return limitFigures(signedLimits.value.limits, reads, new Map(bounds)).figures
})

/** The orders of the ticket in the form that limits count; empty for a reduce-only order. */
const opening = computed<readonly OpeningOrder[]>(() => {
  const { value: market } = shownMarketState
  if (!market || ticketSize.value === null || isReduceOnly.value) return []
  const whole = { price: price.value, size: ticketSize.value }
  return openingOrders({
    ...{ symbol: market.symbol, side: side.value, reference: valuationPrice.value },
    parts: children.value.length > 0 ? children.value : [whole],
    triggers: [trigger.value, activation.value].filter((at) => at !== null),
    isTrailing: kind.value === 'TRAILING_STOP',
    isWaiting: waitsForMark.value,
  })
})

/** The verdict of the account's limits on the ticket, before it is signed; null while unknown. */
export const limitsOnTicket = computed(() => {
  if (!shownMarketState.value || !verdict.value) return null
  return limitsOn(
    shownMarketState.value.symbol,
    opening.value,
    kind.value === 'TWAP' ? 'one by one' : 'in one write',
  )
})

/** The verdict of the account's limits on orders in a market, before they are signed; null while unknown. */
export function limitsOn(
  name: string,
  orders: readonly OpeningOrder[],
  sent: SendingMode = 'in one write',
): TicketLimits | null {
  const rule = rules.value.get(name)
  if (!rule || !signedLimits.value) return null
  const state = { ...signedLimits.value, figures: figures.value, nowMs: serverSecond.value }
  return ticketLimits({ ...rule, mark: marketMark(name) || null }, orders, state, sent)
}

/** The verdict of the limits on a setting change; `leverage` is the new leverage, null for a change of margin only. */
export function limitsOnChange(symbol: string, leverage: number | null): TicketLimits | null {
  return (
    signedLimits.value && changeLimits(signedLimits.value, serverSecond.value, { symbol, leverage })
  )
}

/**
 * The verdict of the limits on editing a conditional order. If it may open a position, the relay counts it with unknown
 * value.
 */
export function limitsOnWaiting({ id, kind: name, symbol }: Conditional): TicketLimits | null {
  const reducing = parseReducing(conditionalReading.value.data)
  const isOpening = name !== 'BRACKET' && !reducing.includes(id)
  return limitsOn(symbol, isOpening ? [UNKNOWN_ORDER] : [])
}
