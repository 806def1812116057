import { DAY_MS } from '../durations.ts'

/** Where a fault acts: on a call before it reaches the venue, on the venue's answer, or on live messages. */
type FaultPlace = 'before' | 'after' | 'stream'

type FaultRow = {
  readonly place: FaultPlace
  /** Whether an affected write takes effect. */
  readonly takesEffect: boolean
  readonly meaning: string
}

/** Faults of the embedded venue's wire, for callers in this process and over the network alike. */
// biome-ignore format: one kind a row
export const FAULTS = {
  delay: { place: 'before', takesEffect: true, meaning: 'The call is delayed by `ms`, in the venue\'s time on a virtual clock; with `sigma` the delay is lognormal around it.' },
  stall: { place: 'before', takesEffect: false, meaning: 'The call hangs and never reaches the venue.' },
  'reset-before': { place: 'before', takesEffect: false, meaning: 'The connection breaks before the venue has read the call.' },
  'reset-after': { place: 'after', takesEffect: true, meaning: 'The connection breaks after the call took effect.' },
  busy: { place: 'before', takesEffect: false, meaning: '429 with the venue\'s code of a rate limit.' },
  'error-500': { place: 'before', takesEffect: false, meaning: '500 with the venue\'s code of an unknown error.' },
  'error-502': { place: 'before', takesEffect: false, meaning: '502 with the page of a balancer.' },
  'error-503': { place: 'before', takesEffect: false, meaning: '503 with the page of a balancer.' },
  maintenance: { place: 'before', takesEffect: false, meaning: '503 in the venue\'s envelope: the system is under maintenance.' },
  truncated: { place: 'after', takesEffect: true, meaning: 'Half of the answer\'s body.' },
  huge: { place: 'after', takesEffect: true, meaning: 'A body above every size limit.' },
  'wrong-type': { place: 'after', takesEffect: true, meaning: 'The answer as text/html.' },
  stale: { place: 'after', takesEffect: true, meaning: 'The first good answer to a read of the same path and account since the fault was added.' },
  duplicate: { place: 'after', takesEffect: true, meaning: 'The answer to a write arrives twice: its caller gets it again for the next accepted write of the same path and account.' },
  'silent-cancel': { place: 'after', takesEffect: true, meaning: 'An order that was placed is cancelled as soon as it is answered, and no live message reports it.' },
  'partial-fill': { place: 'before', takesEffect: true, meaning: 'An order gets only a `share` of the quantity that it would take from the book; the rest is cancelled. FOK orders are exempt.' },
  skew: { place: 'before', takesEffect: true, meaning: 'The venue\'s wall clock is `ms` ahead (below zero: behind) for checks and answers.' },
  lost: { place: 'stream', takesEffect: false, meaning: 'A live message does not arrive.' },
  doubled: { place: 'stream', takesEffect: true, meaning: 'A live message arrives twice.' },
  late: { place: 'stream', takesEffect: true, meaning: 'A live message arrives `ms` late, after those that follow it meanwhile.' },
  disconnect: { place: 'stream', takesEffect: false, meaning: 'The live connection ends instead of a message.' },
} as const satisfies Record<string, FaultRow>

export type FaultKind = keyof typeof FAULTS

/** Default parameters of a fault. */
export const FAULT_DEFAULTS = { path: '*', probability: 1, ms: 1000, sigma: 0, share: 0.5 } as const

/** Maximum number of faults at a time, maximum delay of a call, and maximum clock error. */
export const FAULT_LIMITS = {
  rulesMax: 64,
  delayMaxMs: 600_000,
  skewMaxMs: DAY_MS,
  sigmaMax: 5,
  /** Maximum number of answers kept for stale reads. */
  staleAnswersMax: 1000,
  /** Maximum number of answers that are sent a second time. */
  duplicatesMax: 1000,
} as const
