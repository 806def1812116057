import { Failure, type FailureMeta } from '../../core/failure.ts'
import { LOSS_NEXT_STEP, type Loss, lossText } from '../../core/loss.ts'
import type { Excess } from '../../perp/limits.ts'

/** The refusal of a key that the venue has not accepted for the account. */
export function unprovenKeyFailure(): Failure {
  return new Failure('unauthorized', {
    reason: 'key_unknown',
    next: 'Relay any signed read with this key first.',
  })
}

/** The refusal of a write that its account's limits forbid. */
export function mandateExceeded(meta: FailureMeta): Failure {
  return new Failure('mandate_exceeded', meta)
}

/** The members of an answer about a limit that would be exceeded. */
export function excessMeta({ name: _, limit, ...excess }: Excess): FailureMeta {
  return { ...excess, ...(typeof limit !== 'boolean' && { limit }) }
}

/** The refusal of a write that opens positions or moves money while a loss of records is unconfirmed. */
export function recordsLostFailure(loss: Loss): Failure {
  return new Failure('not_available', {
    reason: 'restored',
    sentence: lossText(loss),
    next: LOSS_NEXT_STEP,
  })
}
