import { computed, signal } from '@preact/signals'
import { keptSwitch } from '../../common/kept.ts'
import type { TicketOrderKind } from './check.ts'

/** The number of writes in progress, from signing to the last attempt to send them. */
export const writeCount = signal(0)

/** Whether a write is in progress; buttons that start a write are then disabled, except for exits. */
export const isBusy = computed(() => writeCount.value > 0)

/** Whether a cancel or a reduction is being sent for the first time; buttons of other exits are then disabled. */
export const isExiting = signal(false)

/** Whether every write needs a confirmation before it is signed. */
export const asksFirst = keptSwitch('confirm')

/** Whether the list of keyboard shortcuts is shown. */
export const showsKeys = signal(false)

/** The kind of the order in the ticket. */
export const kind = signal<TicketOrderKind>('LIMIT')

/** The price picked last in the book, until the ticket has taken it over. */
export const pickedPrice = signal<bigint | null>(null)
