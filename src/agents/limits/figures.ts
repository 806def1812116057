import type { Row } from '../../core/json.ts'
import type { Limits } from '../../core/mandate.ts'
import { type AccountFigures, parseFigures } from '../../perp/account-exposure.ts'
import { FIGURE_READS } from '../../perp/figure-reads.ts'
import {
  CONDITIONAL_UNREAD_STEP,
  type LimitFigures,
  limitFigures,
  NO_READS,
  neededRows,
  needsExposure,
  type UnknownFigures,
} from '../../perp/limit-figures.ts'
import { type MarketBound, toMarketBound } from '../../perp/order-worst-case.ts'
import {
  DAY_READS,
  type DayTotals,
  type PeriodRows,
  parseDayTotal,
  positionsDay,
} from '../../perp/pnl.ts'
import { parseWaiting, type WaitingOrder } from '../../perp/waiting.ts'
import { accountRead } from '../account-call.ts'
import { tightestLimits } from '../limit-rules.ts'
import { limitRefusal } from '../refusal.ts'
import type { SignedContext } from '../tool.ts'
import { venueTimeMs } from '../views/current.ts'
import { exactMarket } from '../views/market.ts'
import { cachedFunding, type FundingRead, relayedFunding } from './kept-funding.ts'
import { readMandate } from './mandate.ts'

const [WAITING, POSITIONS] = FIGURE_READS

type FigureOptions = {
  readonly limits?: Limits
  /** For a mandate, pass `relayedFunding`, because the relay counts only funding it has relayed. */
  readonly readFunding?: FundingRead
  readonly timeMs?: () => Promise<number>
}

/**
 * Reads the account figures that `limits` need (default: the caller's limits), or the reason why they are unknown.
 * Throws ClientFailure.
 */
export async function readFigures(
  context: SignedContext,
  {
    limits = tightestLimits(context),
    readFunding = cachedFunding,
    timeMs = () => venueTimeMs(context),
  }: FigureOptions = {},
): Promise<LimitFigures> {
  const askedAtMs = context.clock.nowMs()
  const waiting = needsExposure(limits) ? await readWaiting(context) : []
  const shown = parseFigures(await accountRead(context, POSITIONS), askedAtMs)
  const needed = shown ? neededRows(limits, shown.day) : []
  const day =
    needed.length === 0 ? NO_READS.day : await readDay(context, needed, readFunding, await timeMs())
  return limitFigures(
    limits,
    { shown, waiting, day },
    await readWaitingBounds(context, waiting ?? []),
  )
}

/** Reads the totals of the 24 hours before `nowMs` for the needed kinds of rows; the others are null. Throws ClientFailure. */
async function readDay(
  context: SignedContext,
  needed: readonly (keyof PeriodRows)[],
  readFunding: FundingRead,
  nowMs: number,
): Promise<DayTotals> {
  const total = async (name: keyof PeriodRows) =>
    needed.includes(name)
      ? parseDayTotal(await accountRead(context, DAY_READS[name]), name, nowMs)
      : null
  const [fills, funding, liquidations] = await Promise.all([
    total('fills'),
    readFunding(context, nowMs, () => total('funding')),
    total('liquidations'),
  ])
  return { fills, funding, liquidations }
}

/**
 * Reads the rows of the last 24 hours if the account's mandate limits losses, because the relay takes the figures from
 * these answers. Throws ClientFailure.
 */
export async function readDayOfMandate(context: SignedContext, positions: Row): Promise<void> {
  const mandate = await readMandate(context)
  if (!mandate) return
  const needed = neededRows(mandate.limits, positionsDay(positions))
  if (needed.length > 0) await readDay(context, needed, relayedFunding, await venueTimeMs(context))
}

/**
 * Reads the waiting conditional orders; null if the list is incomplete. For a mandate, read the positions after this
 * call. Throws ClientFailure.
 */
export async function readWaiting(context: SignedContext): Promise<readonly WaitingOrder[] | null> {
  return parseWaiting(await accountRead(context, WAITING))
}

/** The figures of `readFigures` for the caller's limits. Throws mandate_exceeded if a figure is unknown, ClientFailure if a read fails. */
export async function figuresIn(
  context: SignedContext,
  timeMs: () => Promise<number>,
): Promise<AccountFigures> {
  const { figures, unknown } = await readFigures(context, { timeMs })
  if (figures) return figures
  throw limitRefusal(unknownFigures(unknown))
}

/** The reason why limits cannot be checked although the venue has answered, with the next step. */
export function unknownFigures(unknown: UnknownFigures) {
  return { reason: 'unknown', next: `${CAUSES[unknown]} Only reduce-only orders go.` } as const
}

const CAUSES: Readonly<Record<UnknownFigures, string>> = {
  positions: 'The account value or a position cannot be read.',
  waiting: CONDITIONAL_UNREAD_STEP,
  bound:
    'The worst case of a waiting conditional order is unknown, because its market has no price range now: cancel it.',
}

async function readWaitingBounds(
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
