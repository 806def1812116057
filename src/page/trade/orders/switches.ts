import { signal } from '@preact/signals'
import type { OrderType } from './check.ts'

/** Whether a write is on its way: buttons that would start another wait. */
export const isBusy = signal(false)

/** Whether every write is shown before it is signed. */
export const asksFirst = signal(readKept())

asksFirst.subscribe((value) => {
  if (value === readKept()) return
  try {
    localStorage.setItem('confirm', value ? 'on' : 'off')
  } catch {
    // A browser that keeps nothing asks each time.
  }
})

function readKept(): boolean {
  try {
    return localStorage.getItem('confirm') !== 'off'
  } catch {
    return true
  }
}

/** The type and the price of the order in the ticket: the book writes them too. */
export const type = signal<OrderType>('LIMIT')
export const priceInput = signal('')
