import { signal } from '@preact/signals'
import { TICKET_TEXTS } from '../messages/ticket.ts'
import { typedNumber } from './inputs.ts'

/** The numeric inputs of the ticket, with their labels. */
export const FIELDS = {
  price: { label: TICKET_TEXTS.price, input: signal('') },
  size: { label: TICKET_TEXTS.size, input: signal('') },
  slippage: { label: TICKET_TEXTS.slippage, input: signal('0.5') },
  /** For a stop. */
  trigger: { label: TICKET_TEXTS.trigger, input: signal('') },
  /**
   * For a trailing stop: the distance from the best mark price, in percent. `activation`: the mark price at which the
   * stop starts; empty: at once.
   */
  callback: { label: TICKET_TEXTS.callback, input: signal('1') },
  activation: { label: TICKET_TEXTS.activation, input: signal('') },
  /** For a scaled order: its last price, and the number of orders. */
  end: { label: TICKET_TEXTS.end, input: signal('') },
  count: { label: TICKET_TEXTS.count, input: signal('5') },
  /** For a time-weighted order: its duration, and the number of parts. */
  minutes: { label: TICKET_TEXTS.minutes, input: signal('30') },
  slices: { label: TICKET_TEXTS.slices, input: signal('10') },
  /** The legs that are attached to an order. */
  TAKE_PROFIT: { label: TICKET_TEXTS.legs.TAKE_PROFIT, input: signal('') },
  STOP_LOSS: { label: TICKET_TEXTS.legs.STOP_LOSS, input: signal('') },
} as const

export type FieldName = keyof typeof FIELDS

/** The number in a field; null for an empty or unclear text. */
export function typedIn(name: FieldName): bigint | null {
  return typedNumber(FIELDS[name].input.value)
}
