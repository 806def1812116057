import { DAY_MS } from '../durations.ts'

/** The place where a fault acts: a call before it reaches the venue, the venue's answer, or live messages. */
type FaultStage = 'before' | 'after' | 'stream'

type FaultRow = {
  readonly place: FaultStage
  /** Whether an affected write takes effect. */
  readonly takesEffect: boolean
  readonly meaning: string
}

/** Faults that the embedded venue can inject, for callers in this process and over the network alike. */
// biome-ignore format: one kind a row
export const FAULTS = {
  delay: { place: 'before', takesEffect: true, meaning: 'The call is delayed by `ms`. With a virtual clock, the delay is in the venue\'s time. With `sigma` the delay is random: lognormal, with median `ms`.' },
  stall: { place: 'before', takesEffect: false, meaning: 'The call hangs and never reaches the venue.' },
  'reset-before': { place: 'before', takesEffect: false, meaning: 'The connection breaks before the venue has read the call.' },
  'reset-after': { place: 'after', takesEffect: true, meaning: 'The connection breaks after the call took effect.' },
  busy: { place: 'before', takesEffect: false, meaning: 'Answer 429 with the venue\'s code for an exceeded rate limit.' },
  'error-500': { place: 'before', takesEffect: false, meaning: 'Answer 500 with the venue\'s code for an unknown error.' },
  'error-502': { place: 'before', takesEffect: false, meaning: 'Answer 502 with the HTML page of a load balancer.' },
  'error-503': { place: 'before', takesEffect: false, meaning: 'Answer 503 with the HTML page of a load balancer.' },
  maintenance: { place: 'before', takesEffect: false, meaning: 'Answer 503 with the venue\'s code for maintenance.' },
  truncated: { place: 'after', takesEffect: true, meaning: 'The answer has only the first half of its body.' },
  huge: { place: 'after', takesEffect: true, meaning: 'The answer\'s body is larger than every size limit.' },
  'wrong-type': { place: 'after', takesEffect: true, meaning: 'The answer has the content type text/html.' },
  stale: { place: 'after', takesEffect: true, meaning: 'A read gets an old answer: the first good one for the same path and account since the fault was added.' },
  duplicate: { place: 'after', takesEffect: true, meaning: 'The next accepted write of the same path and account gets the answer to this write in place of its own.' },
  'silent-cancel': { place: 'after', takesEffect: true, meaning: 'A new order is cancelled right after its answer, and no live message reports the cancellation.' },
  'partial-fill': { place: 'before', takesEffect: true, meaning: 'An order that takes liquidity fills only the part `share` of its normal quantity. The rest is cancelled. FOK orders are exempt.' },
  skew: { place: 'before', takesEffect: true, meaning: 'The venue\'s clock is `ms` ahead for checks and answers. With a negative `ms` it is behind.' },
  lost: { place: 'stream', takesEffect: false, meaning: 'A live message does not arrive.' },
  doubled: { place: 'stream', takesEffect: true, meaning: 'A live message arrives twice.' },
  late: { place: 'stream', takesEffect: true, meaning: 'A live message arrives `ms` late, after messages that were sent later.' },
  disconnect: { place: 'stream', takesEffect: false, meaning: 'The venue closes the live connection instead of sending a message.' },
} as const satisfies Record<string, FaultRow>

export type FaultKind = keyof typeof FAULTS

/** Default parameters of a fault. */
export const FAULT_DEFAULTS = { path: '*', probability: 1, ms: 1000, sigma: 0, share: 0.5 } as const

/** Maximum number of active faults, maximum delay of a call, and maximum clock error. */
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
