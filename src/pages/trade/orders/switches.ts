import { signal } from '@preact/signals'
import { keptSwitch } from '../../common/kept.ts'
import type { Kind } from './check.ts'

/** Whether a write is under way: buttons that would start a new one are disabled. */
export const isBusy = signal(false)

/** Whether every write is shown before it is signed. */
export const asksFirst = keptSwitch('confirm')

/** Whether the list of keys is shown. */
export const showsKeys = signal(false)

/** The kind of the order in the ticket. */
export const kind = signal<Kind>('LIMIT')

/** The last price that was chosen in the book, until the ticket has taken it. */
export const pickedPrice = signal<bigint | null>(null)
