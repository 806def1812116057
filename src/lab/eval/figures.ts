import { DAY_MS } from '../../contract/durations.ts'
import { AGENT_OUTCOMES } from '../../contract/venue/evaluated-agent.ts'
import { FIGURE_NAMES, type FigureName } from '../../contract/venue/evaluation.ts'
import { createRng, nextRandom } from '../../simulator/base/rng.ts'
import type { Evaluation } from './evaluation.ts'
import type { AccountSample } from './ledger.ts'
import type { RunOutcome } from './run.ts'
import {
  annualVolatility,
  bootstrapInterval,
  calmarRatio,
  type Estimate,
  maxDrawdown,
  mean,
  periodReturns,
  sharpeRatio,
  sortinoRatio,
} from './statistics.ts'

/** The figures of one run by name; null is unknown. */
export type RunFigures = Readonly<Record<string, number | null>>

/** The confidence intervals of figures; absent if there are too few returns. */
export type Intervals = Readonly<Partial<Record<'sharpe' | 'sortino', Estimate>>>

const MICROS = 1_000_000
/** Maximum number of returns. Longer curves use returns over several steps. */
const RETURNS_MAX = 2000
const CHARS_PER_TOKEN = 4

/** The figures of a run. Money in USDC, with six decimals. */
export function runMeasures(
  ran: RunOutcome,
  { stepMs, lengthMs }: Evaluation,
): { readonly figures: RunFigures; readonly intervals: Intervals } {
  const { values, periodMs } = spacedValues(ran.ledger.samples, stepMs)
  const returns = periodReturns(values)
  const ofDay = (value: number | null) => (lengthMs < DAY_MS ? null : value)
  const sharpe = (some: readonly number[]) => ofDay(sharpeRatio(some, periodMs))
  const sortino = (some: readonly number[]) => ofDay(sortinoRatio(some, periodMs))
  const figures: Readonly<Record<FigureName, number | null>> = {
    ...accountFigures(ran),
    volatility: annualVolatility(returns, periodMs),
    ...{ sharpe: sharpe(returns), sortino: sortino(returns) },
    calmar: ofDay(
      calmarRatio(
        ran.ledger.samples.map(({ value }) => value),
        lengthMs,
      ),
    ),
    ...positionFigures(ran),
    ...agentFigures(ran),
    ...ran.end,
  }
  return {
    figures: Object.fromEntries(FIGURE_NAMES.map((name) => [name, rounded(figures[name])])),
    intervals: ratioIntervals(returns, { sharpe, sortino }, ran.seed),
  }
}

/** The 95 % bootstrap intervals of a run's ratios, with random numbers from its seed. */
function ratioIntervals(
  returns: readonly number[],
  ratios: Readonly<Record<keyof Intervals, (some: readonly number[]) => number | null>>,
  seed: number,
): Intervals {
  const rng = createRng(seed, 'interval')
  const random = () => nextRandom(rng)
  const sharpe = bootstrapInterval(returns, ratios.sharpe, random)
  const sortino = bootstrapInterval(returns, ratios.sortino, random)
  return { ...(sharpe && { sharpe }), ...(sortino && { sortino }) }
}

function accountFigures({ ledger: { samples, totals } }: RunOutcome) {
  const values = samples.map(({ value }) => value)
  const [first = 0, last = 0] = [values[0], values.at(-1)]
  const pnl = last - first
  const { isWhole, fees, funding } = totals
  const known = (micros: number) => (isWhole ? micros / MICROS : null)
  return {
    endUsdc: last / MICROS,
    pnlUsdc: pnl / MICROS,
    return: first > 0 ? pnl / first : null,
    tradingUsdc: known(pnl - fees - funding),
    feesUsdc: known(fees),
    fundingUsdc: known(funding),
    impactUsdc: known(totals.impact),
    slippage: isWhole && totals.taken > 0 ? totals.impact / totals.taken : null,
    winRate: isWhole ? winRate(totals.closed) : null,
    maxDrawdown: maxDrawdown(values),
    turnover: isWhole && first > 0 ? totals.traded / mean(values) : null,
    tradedUsdc: known(totals.traded),
    fillRatio: isWhole && totals.asked > 0 ? totals.executed / totals.asked : null,
    orders: isWhole ? totals.orders : null,
    fills: isWhole ? totals.fills : null,
    liquidations: totals.liquidations,
  }
}

function winRate(closed: ReadonlyMap<number, number>): number | null {
  const profits = [...closed.values()]
  return profits.length === 0 ? null : mean(profits.map((profit) => (profit > 0 ? 1 : 0)))
}

function positionFigures({ ledger: { samples } }: RunOutcome) {
  const over = (each: AccountSample, part: number) => (each.value > 0 ? part / each.value : 0)
  const gross = samples.map((each) => over(each, each.gross))
  const last = samples.at(-1)
  return {
    timeInMarket: mean(samples.map((each) => (each.gross > 0 ? 1 : 0))),
    meanExposure: mean(gross),
    maxExposure: gross.reduce((most, each) => Math.max(most, each), 0),
    meanNet: mean(samples.map((each) => over(each, Math.abs(each.net)))),
    endExposureUsdc: (last?.gross ?? 0) / MICROS,
    endNetUsdc: (last?.net ?? 0) / MICROS,
  }
}

function agentFigures({ counts, outcome }: RunOutcome) {
  const { decisions, calls, errors, refusals, limitHits } = counts
  const tokens = Math.round(counts.chars / CHARS_PER_TOKEN)
  const each = (sum: number) => (decisions > 0 ? sum / decisions : null)
  return {
    ...{ decisions, calls, errors, refusals, limitHits, tokens },
    callsPerDecision: each(calls),
    tokensPerDecision: each(tokens),
    finished: AGENT_OUTCOMES[outcome].isFinished ? 1 : 0,
  }
}

/** Account values at a constant interval, thinned for resampling, and the interval. */
function spacedValues(samples: readonly AccountSample[], stepMs: number) {
  const every = Math.max(1, Math.ceil(samples.length / RETURNS_MAX))
  const values = samples.filter((_, at) => at % every === 0).map(({ value }) => value)
  return { values, periodMs: every * stepMs }
}

function rounded(value: number | null | undefined): number | null {
  return value == null || !Number.isFinite(value) ? null : Math.round(value * MICROS) / MICROS
}
