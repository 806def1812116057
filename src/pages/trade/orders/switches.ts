import { signal } from '@preact/signals'
import { keptSwitch } from '../../common/kept.ts'
import type { TicketOrderKind } from './check.ts'

/** Whether every write needs a confirmation before it is signed. */
export const asksFirst = keptSwitch('confirm')

/** Whether the list of keyboard shortcuts is shown. */
export const showsKeys = signal(false)

/** The kind of the order in the ticket. */
export const kind = signal<TicketOrderKind>('LIMIT')

/** The price picked last in the book, until the ticket has taken it over. */
export const pickedPrice = signal<bigint | null>(null)
