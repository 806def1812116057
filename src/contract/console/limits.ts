import { DAY_MS, MINUTE_MS } from '../durations.ts'

/** Sizes and periods of the operator's console. The unit is the last word of each name. */
export const CONSOLE_LIMITS = {
  /** How often the page polls. */
  pollEveryMs: 2000,
  sampleEveryMs: 5000,
  /** How often an instance renews its registration, and the age at which a registration expires. */
  registry: { everyMs: 8000, lostAfterMs: 25_000 },
  /** Maximum number of samples: one hour. */
  samplesMax: 720,
  loopProbeMs: 1000,
  errorsMax: 100,
  /** Failures kept per code. */
  errorsOfCodeMax: 50,
  /** Minimum number of requests in a minute for judging their share of failures. */
  judgedRequestsMin: 20,
  /**
   * A figure is reported as slow after this many sampling periods per minute above its threshold, because a single slow
   * period may be due to a large answer.
   */
  slowPeriods: 3,
  faultsWithinMs: 5 * MINUTE_MS,
  auditMax: 20,
  minutesKept: 60,
  /** How long the store keeps minutes. */
  trafficKeptMs: DAY_MS,
  /** Minutes held in memory while the store is failing. */
  trafficPendingMax: 120,
  /** An instance without a sign of life for this long has probably ended. */
  instanceSilentMs: 3 * MINUTE_MS,
  venueCheckMs: 5000,
  instancesMax: 100,
  agentWritesMax: 20,
  advanceMaxMs: 7 * DAY_MS,
} as const

/** Thresholds above which a figure is reported as unhealthy. */
export const CONSOLE_THRESHOLDS = {
  failedShare: 0.05,
  slowestMs: 1000,
  venueSlowestMs: 3000,
  loopDelayMs: 100,
} as const

/** Actions of the console that need the operator's key. */
export const CONSOLE_ACTIONS = [
  'pause-vouchers',
  'resume-vouchers',
  'advance-clock',
  'purge-cache',
] as const

export type ConsoleAction = (typeof CONSOLE_ACTIONS)[number]
