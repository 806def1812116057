import type { Clock } from '../../../core/ports.ts'
import type { Moment } from '../../exchange/limits.ts'
import type { Exchange } from '../../exchange/state.ts'

export type MoneyParts = { readonly exchange: Exchange; readonly wallClock: Clock }

/** Now, by both clocks. */
export function momentOf({ wallClock }: MoneyParts, nowMs: number): Moment {
  return { nowMs, wallMs: wallClock.nowMs() }
}
