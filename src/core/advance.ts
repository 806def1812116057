import type { AdvanceStep } from '../contract/venue/advance.ts'
import type { AccountKey } from './standby.ts'

/** The condition that ended a step; `part` if the step is not finished. */
export type StepEnd = 'time' | 'fill' | 'price' | 'order' | 'liquidation' | 'part'

/** A completed step, or the completed part of a step. */
export type SteppedClock = {
  readonly nowMs: number
  readonly advancedMs: number
  readonly ended: StepEnd
  /** The answers to the step's reads as a JSON array, null for a path without an answer. `[]` for a part of a step. */
  readonly reads: string
}

/** The caller that moves a clock: the operator, or the key of an account. */
export type ClockCaller =
  | { readonly by: 'operator' }
  | { readonly by: 'key'; readonly pair: AccountKey }

/**
 * Moves a virtual clock and the venue's world step by step. If the signal aborts or the move takes too long for one
 * answer, returns fewer steps, or only a part of the last step. Throws Failure: unauthorized for a key without read
 * scope.
 */
export type AdvanceClock = (
  steps: readonly AdvanceStep[],
  caller: ClockCaller,
  signal: AbortSignal,
) => Promise<readonly SteppedClock[]>
