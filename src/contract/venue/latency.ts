/** The ways of a message: of live data to a caller, of a call to the venue, of its answer back. */
export type LatencyLeg = 'feed' | 'entry' | 'answer'

/** How long a way takes: normally distributed, never below zero. */
type LegLatency = { readonly meanMs: number; readonly jitterMs: number }

export type Latency = Readonly<Record<LatencyLeg, LegLatency>>

/** The longest mean and deviation of a way. */
export const LATENCY_MAX_MS = 60_000
