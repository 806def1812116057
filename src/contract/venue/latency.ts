/** The legs with latency: live data to a caller (`feed`), a call to the venue (`entry`), its answer (`answer`). */
export type LatencyLeg = 'feed' | 'entry' | 'answer'

/** The duration of a leg, normally distributed but at least zero. */
type LegLatency = { readonly meanMs: number; readonly jitterMs: number }

export type VenueLatency = Readonly<Record<LatencyLeg, LegLatency>>

/** Maximum of a leg's mean, and of its deviation. */
export const LATENCY_MAX_MS = 60_000
