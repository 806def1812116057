import { signal } from '@preact/signals'
import { keptSwitch } from '../../common/kept.ts'
import type { Kind } from './check.ts'

/** Whether a write is on its way: buttons that would start another wait. */
export const isBusy = signal(false)

/** Whether every write is shown before it is signed. */
export const asksFirst = keptSwitch('confirm')

/** Whether the list of keys is shown. */
export const showsKeys = signal(false)

/** The kind and the prices of the order in the ticket: the book writes them too. */
export const kind = signal<Kind>('LIMIT')
export const priceInput = signal('')
/** The mark at which a stop of the ticket is sent. */
export const triggerInput = signal('')
