import { MINUTE_MS } from '../contract/durations.ts'
import type { Limits } from '../core/mandate.ts'
import { type AccountFigures, withDayResult, withWaiting } from './account-exposure.ts'
import { FIGURE_READS } from './figure-reads.ts'
import type { MarketBound } from './order-worst-case.ts'
import type { DayTotals, PeriodRows, PositionsDay } from './pnl.ts'
import type { WaitingOrder } from './waiting.ts'

/** Whether these limits can be checked only with the account's figures. */
export function needsFigures(limits: Limits): boolean {
  return needsDayResult(limits) || needsExposure(limits)
}

/** Whether these limits need the PnL of the last 24 hours. */
export function needsDayResult({ maxLossUsdc }: Limits): boolean {
  return maxLossUsdc !== undefined
}

/** Whether these limits need the account's exposures, which include waiting conditional orders. */
export function needsExposure({ maxPositionUsdc, maxLeverage }: Limits): boolean {
  return maxPositionUsdc !== undefined || maxLeverage !== undefined
}

/** The account reads that these limits need, in the order of sending; empty if they need no figures. */
export function requiredReads(limits: Limits): readonly string[] {
  if (!needsFigures(limits)) return []
  return needsExposure(limits) ? FIGURE_READS : FIGURE_READS.slice(1)
}

/**
 * The kinds of rows that complete the PnL of the last 24 hours. If the positions show no fees, the liquidations decide
 * whether the fills have all fees. `shown` is null before the positions are read.
 */
export function neededRows(
  limits: Limits,
  shown: Pick<PositionsDay, 'fees'> | null,
): readonly (keyof PeriodRows)[] {
  if (!needsDayResult(limits)) return []
  return shown?.fees == null ? ['fills', 'funding', 'liquidations'] : ['fills', 'funding']
}

/** Maximum age of the 24-hour funding total. Funding changes hourly, and the venue allows 20 reads of it per minute. */
export const FUNDING_AGE_MAX_MS = MINUTE_MS

/** The results of an account's reads; null if a read is missing or its answer is incomplete. */
export type AccountReads = {
  /** The figures in the positions answer. */
  readonly shown: AccountFigures | null
  readonly waiting: readonly WaitingOrder[] | null
  readonly day: DayTotals
}

/** The state before an account's first read. */
export const NO_READS: AccountReads = {
  shown: null,
  waiting: null,
  day: { fills: null, funding: null, liquidations: null },
}

/**
 * The reason why figures are unknown:
 * - `positions`, `waiting`: the answer with positions or conditional orders is missing or incomplete;
 * - `bound`: the worst case of a waiting conditional order is unknown.
 */
export type UnknownFigures = 'positions' | 'waiting' | 'bound'

/** The figures for checking limits, or the reason why they are unknown. */
export type LimitFigures =
  | { readonly figures: AccountFigures; readonly unknown: null }
  | { readonly figures: null; readonly unknown: UnknownFigures }

/**
 * The figures that limits need, from an account's reads and the price bounds of the markets with waiting orders. The
 * PnL of the day leaves its unknown parts out.
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

/** Next step for the user if the conditional orders were read but the answer is incomplete. */
export const CONDITIONAL_UNREAD_STEP =
  'More than 500 conditional orders wait, or one cannot be read: cancel some.'

function unknown(why: UnknownFigures): LimitFigures {
  return { figures: null, unknown: why }
}
