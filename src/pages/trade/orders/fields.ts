import { signal } from '@preact/signals'
import { F } from '../messages/ticket.ts'
import { typed } from './inputs.ts'

/** The numeric inputs of the ticket, with their labels. */
export const FIELDS = {
  price: { label: F.price, input: signal('') },
  size: { label: F.size, input: signal('') },
  slippage: { label: F.slippage, input: signal('0.5') },
  /** For a stop. */
  trigger: { label: F.trigger, input: signal('') },
  /**
   * For a trailing stop: its distance from the best mark price in percent, and the mark price at which it starts; empty
   * means at once.
   */
  callback: { label: F.callback, input: signal('1') },
  activation: { label: F.activation, input: signal('') },
  /** For a scaled order: its last price, and the number of orders. */
  end: { label: F.end, input: signal('') },
  count: { label: F.count, input: signal('5') },
  /** For a time-weighted order: its duration, and the number of parts. */
  minutes: { label: F.minutes, input: signal('30') },
  slices: { label: F.slices, input: signal('10') },
  /** The legs that are attached to an order. */
  TAKE_PROFIT: { label: F.legs.TAKE_PROFIT, input: signal('') },
  STOP_LOSS: { label: F.legs.STOP_LOSS, input: signal('') },
} as const

export type FieldName = keyof typeof FIELDS

/** The number in a field; null for an empty or unclear text. */
export function typedIn(name: FieldName): bigint | null {
  return typed(FIELDS[name].input.value)
}
