import { signal } from '@preact/signals'
import { keep, readKept } from '../../common/kept.ts'
import type { OrderType } from './check.ts'

/** Whether a write is on its way: buttons that would start another wait. */
export const isBusy = signal(false)

/** Whether every write is shown before it is signed. */
export const asksFirst = signal(readKept('confirm') !== 'off')

asksFirst.subscribe((value) => {
  const text = value ? 'on' : 'off'
  if (text !== (readKept('confirm') ?? 'on')) keep('confirm', text)
})

/** The type and the price of the order in the ticket: the book writes them too. */
export const type = signal<OrderType>('LIMIT')
export const priceInput = signal('')
