import { refusal } from '../../messages/refusals.ts'
import type { VenueRefusal } from '../../messages/row.ts'
import { Rejection } from '../../state/rejections.ts'
import { BUY, type Side } from '../../state/state.ts'

/** The refusal on the wire that a rejection of the engine means. */
export function refused({ refusal: name, message }: Rejection): VenueRefusal {
  return refusal(name, message)
}

/** The outcome of a request that the engine accepted. Throws VenueRefusal when it was rejected. */
export function accepted<Outcome>(outcome: Outcome | Rejection): Outcome {
  if (outcome instanceof Rejection) throw refused(outcome)
  return outcome
}

export function modeOf({ isolated }: { readonly isolated: boolean }): 'CROSS' | 'ISOLATED' {
  return isolated ? 'ISOLATED' : 'CROSS'
}

export function sideOf(side: Side): 'BUY' | 'SELL' {
  return side === BUY ? 'BUY' : 'SELL'
}
