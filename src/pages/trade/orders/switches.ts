import { computed, signal } from '@preact/signals'
import { keptSwitch } from '../../common/kept.ts'
import type { TicketOrderKind } from './check.ts'

/** The number of writes in progress, from signing to the last attempt to send them. */
export const writeCount = signal(0)

/** Whether a write is in progress; buttons that start a write are then disabled, except for exits. */
export const isBusy = computed(() => writeCount.value > 0)

/** The key that all reductions share, those of all positions at once included. */
export const REDUCTION = 'positions'

/**
 * The exits in their first send. `key`: the path of a cancel, `REDUCTION`, or the list whose orders are all cancelled. An
 * exit waits only for an exit with the same key.
 */
export const exits = signal<readonly { readonly key: string }[]>([])

/** Whether an exit with this key is in its first send; a second press would then send it twice. */
export function isExiting(key: string): boolean {
  return exits.value.some((exit) => exit.key === key)
}

/** Whether every write needs a confirmation before it is signed. */
export const asksFirst = keptSwitch('confirm')

/** Whether the list of keyboard shortcuts is shown. */
export const showsKeys = signal(false)

/** The kind of the order in the ticket. */
export const kind = signal<TicketOrderKind>('LIMIT')

/** The price picked last in the book, until the ticket has taken it over. */
export const pickedPrice = signal<bigint | null>(null)
