import type { Rejection } from '../engine/rejections.ts'
import { BUY, type Side } from '../engine/state.ts'
import { refusal } from '../wire/refusals.ts'
import type { VenueRefusal } from '../wire/row.ts'

/** Why the engine did not do what was asked, in the wire's words. */
export function refused({ refusal: name, message }: Rejection): VenueRefusal {
  return refusal(name, message)
}

export function modeOf({ isolated }: { readonly isolated: boolean }): 'CROSS' | 'ISOLATED' {
  return isolated ? 'ISOLATED' : 'CROSS'
}

export function sideOf(side: Side): 'BUY' | 'SELL' {
  return side === BUY ? 'BUY' : 'SELL'
}
