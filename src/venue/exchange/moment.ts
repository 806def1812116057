import { EXCHANGE_LIMITS } from './limits.ts'

/** Both clocks: `nowMs` is the venue's, which may be virtual; `wallMs` is real. What was signed may be fresh by either. */
export type Moment = { readonly nowMs: number; readonly wallMs: number }

/** What it is now on the clock by which a time is fresh, the venue's first; null when it is fresh by neither. */
export function clockOf(atMs: number, { nowMs, wallMs }: Moment): number | null {
  const isFresh = (clockMs: number) => Math.abs(clockMs - atMs) <= EXCHANGE_LIMITS.signatureAgeMaxMs
  if (isFresh(nowMs)) return nowMs
  return isFresh(wallMs) ? wallMs : null
}
