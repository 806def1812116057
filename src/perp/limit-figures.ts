import { MINUTE_MS } from '../contract/durations.ts'
import type { Limits } from '../core/mandate.ts'
import { type AccountFigures, withDayResult, withWaiting } from './exposure.ts'
import { FIGURE_READS } from './figure-reads.ts'
import type { DayTotals, PeriodRows, PositionsDay } from './pnl.ts'
import type { WaitingOrder } from './waiting.ts'
import type { MarketBound } from './worst-case.ts'

/** Whether orders within these limits are judged by figures of the account. */
export function needsFigures(limits: Limits): boolean {
  return needsDayResult(limits) || needsExposure(limits)
}

/** Whether these figures must have the result of the last 24 hours. */
export function needsDayResult({ maxLossUsdc }: Limits): boolean {
  return maxLossUsdc !== undefined
}

/** Whether these figures must have the conditional orders that wait. */
export function needsExposure({ maxPositionUsdc, maxLeverage }: Limits): boolean {
  return maxPositionUsdc !== undefined || maxLeverage !== undefined
}

/** The reads that limits are judged by, in the order to ask in; empty where they need no figures. */
export function requiredReads(limits: Limits): readonly string[] {
  if (!needsFigures(limits)) return []
  return needsExposure(limits) ? FIGURE_READS : FIGURE_READS.slice(1)
}

/**
 * The rows of 24 hours that complete the result of the day. Where positions show no fees, liquidations say whether fills
 * have all of them. `shown` is null before the positions are read.
 */
export function neededRows(
  limits: Limits,
  shown: Pick<PositionsDay, 'fees'> | null,
): readonly (keyof PeriodRows)[] {
  if (!needsDayResult(limits)) return []
  return shown?.fees == null ? ['fills', 'funding', 'liquidations'] : ['fills', 'funding']
}

/** Maximum age of the funding of 24 hours: it changes by the hour, and the venue answers 20 reads per minute. */
export const FUNDING_AGE_MAX_MS = MINUTE_MS

/** The answers to the reads of an account; null where a read is missing or its answer leaves something out. */
export type AccountReads = {
  /** The figures that positions show. */
  readonly shown: AccountFigures | null
  readonly waiting: readonly WaitingOrder[] | null
  readonly day: DayTotals
}

/** An account before its first read. */
export const NO_READS: AccountReads = {
  shown: null,
  waiting: null,
  day: { fills: null, funding: null, liquidations: null },
}

/**
 * The reason why figures are unknown:
 * - `positions`, `waiting`: the answer is missing or leaves something out;
 * - `bound`: a conditional order that waits has no worst case.
 */
export type UnknownFigures = 'positions' | 'waiting' | 'bound'

/** The figures that limits are judged by, or the reason why they are unknown. */
export type LimitFigures =
  | { readonly figures: AccountFigures; readonly unknown: null }
  | { readonly figures: null; readonly unknown: UnknownFigures }

/**
 * The figures that limits need, from the reads of an account and the bounds of the markets in which orders wait. Parts of
 * the day that are unknown are left out of its result.
 */
export function limitFigures(
  limits: Limits,
  { shown, waiting, day }: AccountReads,
  bounds: ReadonlyMap<string, MarketBound>,
): LimitFigures {
  if (!shown) return unknown('positions')
  const figures = needsDayResult(limits) ? withDayResult(shown, day) : shown
  if (!needsExposure(limits)) return { figures, unknown: null }
  if (!waiting) return unknown('waiting')
  const whole = withWaiting(figures, waiting, bounds)
  return whole ? { figures: whole, unknown: null } : unknown('bound')
}

/** The next step where conditional orders are unknown although they were read. */
export const WAITING_LEFT_OUT =
  'More than 500 conditional orders wait, or one cannot be read: cancel some.'

function unknown(why: UnknownFigures): LimitFigures {
  return { figures: null, unknown: why }
}
