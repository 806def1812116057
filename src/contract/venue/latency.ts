/** Legs of a message: live data to a caller, a call to the venue, its answer back. */
export type LatencyLeg = 'feed' | 'entry' | 'answer'

/** Duration of a leg: normally distributed, at least zero. */
type LegLatency = { readonly meanMs: number; readonly jitterMs: number }

export type VenueLatency = Readonly<Record<LatencyLeg, LegLatency>>

/** Maximum mean and maximum deviation of a leg. */
export const LATENCY_MAX_MS = 60_000
