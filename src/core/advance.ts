import type { AdvanceStep } from '../contract/venue/advance.ts'
import type { KeyPair } from './standby.ts'

/** What ended a step; `part` when it is not over yet. */
export type StepEnd = 'time' | 'fill' | 'price' | 'order' | 'liquidation' | 'part'

/** One step, or the part of it that took place. */
export type SteppedClock = {
  readonly nowMs: number
  readonly advancedMs: number
  readonly ended: StepEnd
  /** The answers to its reads as a JSON array; null of a path that answers nothing. `[]` of a part. */
  readonly reads: string
}

/** Who moves a clock: the operator for the account that a step names or for any, or the key of an account. */
export type ClockCaller =
  | { readonly by: 'operator' }
  | { readonly by: 'key'; readonly pair: KeyPair }

/**
 * Moves a virtual clock and the venue's world with it, step by step. Answers fewer steps, or a part of the last one, when
 * the signal aborted or the way took too long for one answer. Throws Failure: unauthorized for a key that cannot read.
 */
export type AdvanceClock = (
  steps: readonly AdvanceStep[],
  caller: ClockCaller,
  signal: AbortSignal,
) => Promise<readonly SteppedClock[]>
