import { orElse } from '../../core/loop/guarded.ts'
import type { Limits } from '../../core/mandate.ts'
import {
  type AccountFigures,
  parseFigures,
  withDayResult,
  withWaiting,
} from '../../perp/exposure.ts'
import { needsDayResult, needsExposure } from '../../perp/limits.ts'
import { DAY_READS, dayRows, type PeriodRows } from '../../perp/pnl.ts'
import { FIGURE_READS, parseWaiting, type WaitingOrder } from '../../perp/waiting.ts'
import { type MarketBound, toMarketBound } from '../../perp/worst-case.ts'
import { accountRead } from '../account-call.ts'
import { ClientFailure } from '../client/client.ts'
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

/** The figures with the result of the day; null where the venue does not give it. */
async function withDay(
  context: SignedContext,
  figures: AccountFigures,
): Promise<AccountFigures | null> {
  const nowMs = await venueTimeMs(context)
  const { fees } = figures.day
  const names = fees === null ? DAY_NAMES : (['funding'] as const)
  return withDayResult(figures, await readDay(context, nowMs, names), nowMs)
}

const DAY_NAMES = ['fills', 'funding', 'liquidations'] as const

async function readDay(
  context: SignedContext,
  nowMs: number,
  names: readonly (keyof PeriodRows)[] = DAY_NAMES,
): Promise<PeriodRows> {
  const rowsOf = async (name: keyof PeriodRows) => {
    if (!names.includes(name)) return null
    const answer = accountRead(context, DAY_READS[name])
    return dayRows(await answer.catch(orElse('mcp', null, ClientFailure)), name, nowMs)
  }
  const [fills, funding, liquidations] = await Promise.all([
    rowsOf('fills'),
    rowsOf('funding'),
    rowsOf('liquidations'),
  ])
  return { fills, funding, liquidations }
}

/** Reads the rows of the last 24 hours if the account's mandate limits losses: the relay refuses orders without them. */
export async function readDayOfMandate(context: SignedContext): Promise<void> {
  const mandate = await readMandate(context)
  if (mandate && needsDayResult(mandate.limits)) await readDay(context, context.venueClock.nowMs())
}

/**
 * The conditional orders that wait; null where the answer leaves some out. A mandate needs this read before that of the
 * positions. Throws ClientFailure.
 */
export async function readWaiting(context: SignedContext): Promise<readonly WaitingOrder[] | null> {
  return parseWaiting(await accountRead(context, WAITING))
}

/** The figures of `readFigures`. Throws mandate_exceeded where the venue does not give them. */
export async function figuresIn(context: SignedContext): Promise<AccountFigures> {
  const figures = await readFigures(context)
  if (figures) return figures
  throw limitRefusal({ reason: 'unknown', next: NO_FIGURES })
}

const NO_FIGURES =
  'The venue gives no figures of the account now, or more than 500 conditional orders wait, so that its limits cannot be judged. Only reduce-only orders go.'

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
