import type { Meter } from '../../core/observing/meter.ts'
import { CONDITIONS, type Condition } from '../../notify/conditions.ts'
import { createSeen } from '../../notify/watch.ts'
import type { ConsoleReason, Sample } from '../../spec/console/figures.ts'
import { CONSOLE_THRESHOLDS as LIMITS } from '../../spec/console/limits.ts'
import { MINUTE_MS } from '../../spec/durations.ts'
import { isPracticeKind, type VenueKind } from '../../spec/venue/kind.ts'

/** Where the console shows more of what a condition is about. */
const PLACES: Readonly<Record<keyof typeof CONDITIONS, ConsoleReason['at']>> = {
  store_failing: 'state',
  venue_away: 'venue',
  books_away: 'venue',
  unknown_outcome: 'writes',
  venue_changed: 'venue',
  disk_low: 'state',
  disk_full: 'state',
  certificate_ends: 'state',
  clock_skew: 'state',
  backup_failing: 'state',
  backup_old: 'state',
  engine_away: 'engines',
  instance_lost: 'instances',
  voucher_refused: 'vouchers',
  voucher_signer_away: 'vouchers',
  voucher_cap_near: 'vouchers',
  refusals_rising: 'refusals',
  records_lost: 'act',
  maintenance: 'act',
}

/** What the verdict is made of beside the metrics. */
type Facts = {
  readonly nowMs: number
  /** What is missing for readiness. */
  readonly missing: string | null
  readonly samples: readonly Sample[]
  /** Failures of this server or its venue in the last five minutes, by code. */
  readonly faults: readonly { readonly name: string; readonly count: number }[]
}

/** Why not all is well, what is worst first. Called now and then also while nobody asks, since it watches counters grow. */
export type Verdict = (facts: Facts) => readonly ConsoleReason[]

/** Judges by the conditions that notices are sent for, and by failures and delays of the last minutes. */
export function createVerdict(meter: Pick<Meter, 'samples'>, venue: VenueKind): Verdict {
  const seenOf = createSeen(meter)
  // Nobody depends on the records of a simulated venue.
  const names = Object.keys(PLACES)
    .filter(isCondition)
    .filter((name) => !isPracticeKind(venue) || name !== 'backup_old')
  return ({ nowMs, missing, samples, faults }) => {
    const seen = seenOf(nowMs, missing)
    const held = names
      .map((name) => [name, CONDITIONS[name] as Condition] as const)
      .filter(([, { holds }]) => holds(seen))
      .map(([name, { level, title, action }]) => ({ level, title, action, at: PLACES[name] }))
    return [...held, ...failing(faults), ...slow(samples, nowMs)].toSorted(
      (a, b) => Number(b.level === 'page') - Number(a.level === 'page'),
    )
  }
}

function isCondition(name: string): name is keyof typeof CONDITIONS {
  return Object.hasOwn(CONDITIONS, name)
}

function failing(faults: Facts['faults']): readonly ConsoleReason[] {
  if (faults.length === 0) return []
  const total = faults.reduce((sum, { count }) => sum + count, 0)
  const codes = faults.map(({ name, count }) => `${name} ${count}`).join(', ')
  return [
    {
      level: 'warn',
      title: `${total} ${total === 1 ? 'request' : 'requests'} failed on this side in five minutes: ${codes}.`,
      action: 'Open the code to see its requests, and a request to see its log lines.',
      at: 'failures',
    },
  ]
}

/** So many periods of the last minute make a server slow: one alone may be a large answer. */
const SLOW_PERIODS = 3

function slow(samples: readonly Sample[], nowMs: number): readonly ConsoleReason[] {
  const lately = samples.filter(([atMs]) => nowMs - atMs <= MINUTE_MS)
  const isOften = (values: readonly number[], bound: number) =>
    values.filter((value) => value > bound).length >= SLOW_PERIODS
  const slowest = lately.map(([, , , p99Ms]) => p99Ms)
  const delays = lately.map(([, , , , loopDelayMs]) => loopDelayMs)
  return [
    ...(isOften(slowest, LIMITS.slowestMs.ill)
      ? [reason('The slowest 1 % of requests take longer than a second.', 'operations')]
      : []),
    ...(isOften(delays, LIMITS.loopDelayMs.ill)
      ? [reason('This process is busy: work waits longer than 100 ms.', 'charts')]
      : []),
  ]
}

function reason(title: string, at: ConsoleReason['at']): ConsoleReason {
  return { level: 'warn', title, action: 'Look at the plots and at what is asked most.', at }
}
