import type { Row } from '../../core/json.ts'
import type { Limits } from '../../core/mandate.ts'
import {
  type AccountFigures,
  parseFigures,
  withDayResult,
  withWaiting,
} from '../../perp/exposure.ts'
import { needsDayResult, needsExposure } from '../../perp/limits.ts'
import {
  DAY_READS,
  type DayTotals,
  dayRows,
  dayTotal,
  type PeriodRows,
  type PositionsDay,
  positionsDay,
} from '../../perp/pnl.ts'
import { FIGURE_READS, parseWaiting, type WaitingOrder } from '../../perp/waiting.ts'
import { type MarketBound, toMarketBound } from '../../perp/worst-case.ts'
import { accountRead } from '../account-call.ts'
import { limitsOf } from '../limit-rules.ts'
import { limitRefusal } from '../refusal.ts'
import type { SignedContext } from '../tool.ts'
import { venueTimeMs } from '../views/current.ts'
import { exactMarket } from '../views/market.ts'
import { readMandate } from './mandate.ts'

const [WAITING, POSITIONS] = FIGURE_READS

/** The figures of an account that limits need; null where the venue does not give one. Throws ClientFailure. */
export async function readFigures(
  context: SignedContext,
  limits: Limits = limitsOf(context),
): Promise<AccountFigures | null> {
  const askedAtMs = context.clock.nowMs()
  const waiting = needsExposure(limits) ? await readWaiting(context) : []
  const figures = parseFigures(await accountRead(context, POSITIONS), askedAtMs)
  const known = figures && needsDayResult(limits) ? await withDay(context, figures) : figures
  return known && waiting && withWaiting(known, waiting, await boundsOf(context, waiting))
}

/** The figures with the result of the day, as far as it is known. Throws ClientFailure. */
async function withDay(context: SignedContext, figures: AccountFigures): Promise<AccountFigures> {
  const nowMs = await venueTimeMs(context)
  return withDayResult(figures, await readDay(context, nowMs, figures.day))
}

/** The totals that the result of the day needs beside what positions show of it. */
async function readDay(
  context: SignedContext,
  nowMs: number,
  { fees }: Pick<PositionsDay, 'fees'>,
): Promise<DayTotals> {
  const totalOf = async (name: keyof PeriodRows) =>
    dayTotal(dayRows(await accountRead(context, DAY_READS[name]), name, nowMs), name, nowMs)
  const [fills, funding, liquidations] = await Promise.all([
    totalOf('fills'),
    totalOf('funding'),
    // They say whether fills have all fees, where positions do not show them.
    fees === null ? totalOf('liquidations') : null,
  ])
  return { fills, funding, liquidations }
}

/**
 * Reads the rows of the last 24 hours if the account's mandate limits losses: the relay counts what they say.
 * Throws ClientFailure.
 */
export async function readDayOfMandate(context: SignedContext, positions: Row): Promise<void> {
  const mandate = await readMandate(context)
  if (mandate && needsDayResult(mandate.limits))
    await readDay(context, context.venueClock.nowMs(), positionsDay(positions))
}

/**
 * The conditional orders that wait; null where the answer leaves some out. A mandate needs this read before that of the
 * positions. Throws ClientFailure.
 */
export async function readWaiting(context: SignedContext): Promise<readonly WaitingOrder[] | null> {
  return parseWaiting(await accountRead(context, WAITING))
}

/** The figures of `readFigures`. Throws mandate_exceeded where the venue does not give them, ClientFailure where it fails. */
export async function figuresIn(context: SignedContext): Promise<AccountFigures> {
  const limits = limitsOf(context)
  const figures = await readFigures(context, limits)
  if (figures) return figures
  throw limitRefusal(unknownFigures(limits))
}

/** Why limits cannot be judged where the venue has answered and a figure is missing, with the next step. */
export function unknownFigures(limits: Limits) {
  const causes = [
    'The account value or a position cannot be read.',
    ...(needsExposure(limits) ? [MANY_WAIT] : []),
  ]
  const next = causes.length === 1 ? causes.join('') : `One of: ${causes.join(' Or: ')}`
  return { reason: 'unknown', next: `${next} Only reduce-only orders go.` } as const
}

const MANY_WAIT = 'More than 500 conditional orders wait, or one has no worst case: cancel some.'

async function boundsOf(
  context: SignedContext,
  waiting: readonly WaitingOrder[],
): Promise<ReadonlyMap<string, MarketBound>> {
  const symbols = [...new Set(waiting.map(({ symbol }) => symbol))]
  const markets = await Promise.all(symbols.map((symbol) => exactMarket(context, symbol)))
  return new Map(
    markets.flatMap((market) => {
      const bound = toMarketBound(market)
      return bound ? [[market.symbol, bound] as const] : []
    }),
  )
}
