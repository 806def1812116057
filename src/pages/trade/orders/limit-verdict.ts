import { computed } from '@preact/signals'
import { MANDATE_PATH } from '../../../contract/mandate-path.ts'
import { needsDayResult } from '../../../perp/limits.ts'
import { DAY_READS, type PeriodRows } from '../../../perp/pnl.ts'
import { parseReducing } from '../../../perp/waiting.ts'
import { type OpeningOrder, toMarketBound, UNKNOWN_ORDER } from '../../../perp/worst-case.ts'
import type { Conditional } from '../account/conditional.ts'
import { accountTopic, conditionalReading, positionsReading, SLOW_MS } from '../account/state.ts'
import { serverSecond } from '../feed/clock.ts'
import { followed } from '../feed/service.ts'
import { markets, markOf, rules } from '../market/state.ts'
import {
  activation,
  children,
  isReduceOnly,
  isWaiting,
  now,
  price,
  reference,
  side,
  size,
  trigger,
} from './draft.ts'
import { kind } from './switches.ts'
import {
  limitFigures,
  openingOrders,
  parseMandate,
  type Sent,
  type TicketLimits,
  ticketLimits,
} from './ticket-limits.ts'
import { verdict } from './verdict.ts'

const mandateReading = followed(() => accountTopic(MANDATE_PATH, SLOW_MS))

const signed = computed(() => parseMandate(mandateReading.value.data))

const isDayNeeded = computed(() => signed.value !== null && needsDayResult(signed.value.limits))

/** The reads of the last 24 hours that the limits need. */
export const neededDayReads = computed(() => (isDayNeeded.value ? Object.values(DAY_READS) : []))

const dayReading = (name: keyof PeriodRows, topics: readonly string[] = []) =>
  followed(() => (isDayNeeded.value ? accountTopic(DAY_READS[name], SLOW_MS, { topics }) : null))
const [fillsReading, fundingReading, liquidationsReading] = [
  dayReading('fills', ['fills']),
  dayReading('funding'),
  dayReading('liquidations'),
]

/** The figures that the signed limits need; null where none does, or one is not known. */
const figures = computed(() => {
  if (!signed.value) return null
  const answers = {
    positions: positionsReading.value.data,
    waiting: conditionalReading.value.data,
    day: {
      fills: fillsReading.value.data,
      funding: fundingReading.value.data,
      liquidations: liquidationsReading.value.data,
    },
  }
  const bounds = markets.value.flatMap(({ symbol, mark }) => {
    const bound = toMarketBound({ mark, priceRange: rules.value.get(symbol)?.priceRange ?? null })
    return bound ? [[symbol, bound] as const] : []
  })
  return limitFigures(signed.value.limits, answers, new Map(bounds), serverSecond.peek())
})

/** The orders of the ticket as limits count them; none of an order that only reduces. */
const opening = computed<readonly OpeningOrder[]>(() => {
  const { value: market } = now
  if (!market || size.value === null || isReduceOnly.value) return []
  const whole = { price: price.value, size: size.value }
  return openingOrders({
    ...{ symbol: market.symbol, side: side.value, reference: reference.value },
    parts: children.value.length > 0 ? children.value : [whole],
    triggers: [trigger.value, activation.value].filter((at) => at !== null),
    isTrailing: kind.value === 'TRAILING_STOP',
    isWaiting: isWaiting.value,
  })
})

/** The verdict of the account's limits on the ticket, before it is signed; null while it cannot be judged. */
export const limitsOnTicket = computed(() => {
  if (!now.value || !verdict.value) return null
  return limitsOn(
    now.value.symbol,
    opening.value,
    kind.value === 'TWAP' ? 'one by one' : 'in one write',
  )
})

/** The verdict of the account's limits on orders of a market, before they are signed; null while it cannot be judged. */
export function limitsOn(
  name: string,
  orders: readonly OpeningOrder[],
  sent: Sent = 'in one write',
): TicketLimits | null {
  const rule = rules.value.get(name)
  if (!rule || !signed.value) return null
  const state = { ...signed.value, figures: figures.value, nowMs: serverSecond.value }
  return ticketLimits({ ...rule, mark: markOf(name) || null }, orders, state, sent)
}

/** The verdict on an edit of a conditional order: the relay counts one that may open as an order of unknown value. */
export function limitsOnWaiting({ id, kind: name, symbol }: Conditional): TicketLimits | null {
  const reducing = parseReducing(conditionalReading.value.data)
  const isOpening = name !== 'BRACKET' && !reducing.includes(id)
  return limitsOn(symbol, isOpening ? [UNKNOWN_ORDER] : [])
}
