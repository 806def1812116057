import { DAY_MS, MINUTE_MS } from '../durations.ts'

/** Sizes and periods of the operator's console. The unit is the last word of each name. */
export const CONSOLE_LIMITS = {
  /** How often the page asks. */
  pollEveryMs: 2000,
  sampleEveryMs: 5000,
  /** How often an instance shows the others that it is there, and after how long without it is lost. */
  registry: { everyMs: 8000, lostAfterMs: 25_000 },
  /** An hour of samples. */
  samplesMax: 720,
  loopProbeMs: 1000,
  errorsMax: 100,
  /** Failures kept of each code. */
  errorsOfCodeMax: 50,
  /** With fewer requests in a minute their share of failures is not judged. */
  judgedRequestsMin: 20,
  /** In so many periods of a minute a figure has to be over its threshold: one may be a large answer. */
  slowPeriods: 3,
  faultsWithinMs: 5 * MINUTE_MS,
  auditMax: 20,
  minutesKept: 60,
  /** The day of minutes that the store keeps. */
  trafficKeptMs: DAY_MS,
  /** Minutes in memory while the store cannot take them. */
  trafficPendingMax: 120,
  /** An instance that was not seen for so long has probably ended. */
  instanceSilentMs: 3 * MINUTE_MS,
  venueCheckMs: 5000,
  instancesMax: 100,
  agentWritesMax: 20,
  advanceMaxMs: 7 * DAY_MS,
} as const

/** From where a figure is not well. */
export const CONSOLE_THRESHOLDS = {
  failedShare: 0.05,
  slowestMs: 1000,
  venueSlowestMs: 3000,
  loopDelayMs: 100,
} as const

/** What the console can do, with the operator's key. */
export const CONSOLE_ACTIONS = [
  'pause-vouchers',
  'resume-vouchers',
  'advance-clock',
  'purge-cache',
] as const

export type ConsoleAction = (typeof CONSOLE_ACTIONS)[number]
