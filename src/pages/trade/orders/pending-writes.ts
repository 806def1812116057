import { computed, signal } from '@preact/signals'

/** The number of writes in progress, from signing to the last attempt to send them. */
export const writeCount = signal(0)

/** Whether a write is in progress; buttons that start a write are then disabled, except for exits. */
export const isBusy = computed(() => writeCount.value > 0)

/** The key that all reductions share, those of all positions at once included. */
export const REDUCTION = 'positions'

/**
 * The writes in their first send. `key` of an exit: the path of a cancel, `REDUCTION`, or the list whose orders are all cancelled; null
 * for other writes. An exit waits only for an exit with the same key.
 */
export const exits = signal<readonly { readonly key: string | null }[]>([])

/** Whether a write has to wait for another write. `exit`: the key of an exit; null for a write that may open a position. */
export function mustWait(exit: string | null): boolean {
  return exit === null ? isBusy.value : exits.value.some(({ key }) => key === exit)
}
