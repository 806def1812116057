import { type Static, Type } from '@sinclair/typebox'
import { DAY_MS } from '../durations.ts'
import { SYMBOL_PATTERN } from '../market/symbols.ts'
import { ACTIVITIES } from './activity.ts'
import { AgentTable, duration, literals } from './evaluated-agent.ts'
import { FAULT_LIMITS } from './faults.ts'

/** Bounds of an evaluation. The unit is the last word of each name. */
export const EVALUATION_LIMITS = {
  lengthMaxMs: 366 * DAY_MS,
  /** Maximum number of points of a curve. A longer run needs longer steps. */
  stepsMax: 600_000,
  seedsMax: 1000,
  /** Maximum number of points of a curve in a result. */
  shownPointsMax: 1000,
  /** Maximum size of a file with a run or a result. */
  resultMaxBytes: 256 * 1024 * 1024,
} as const

type FigureRow = {
  readonly unit: string
  readonly meaning: string
  /** Whether the figure is meaningless for a run shorter than a day. */
  readonly needsDay?: true
}

/** The figures of one run. The keys are used in results, and in criteria of an evaluation's file. */
// biome-ignore format: one figure a row
export const FIGURES = {
  endUsdc: { unit: 'USDC', meaning: 'Account value at the end.' },
  pnlUsdc: { unit: 'USDC', meaning: 'Change of the account value.' },
  return: { unit: 'share', meaning: 'Change of the account value as a share of its start.' },
  tradingUsdc: { unit: 'USDC', meaning: 'PnL without fees and funding.' },
  feesUsdc: { unit: 'USDC', meaning: 'Fees. A negative figure is a cost.' },
  fundingUsdc: { unit: 'USDC', meaning: 'Funding. A negative figure is a cost.' },
  impactUsdc: { unit: 'USDC', meaning: 'Effect of taking liquidity: price of the fills against the middle of the book before the order. Negative: a cost. Part of `tradingUsdc`.' },
  slippage: { unit: 'share', meaning: '`impactUsdc` ÷ value of the fills that took liquidity. A negative figure is a cost.' },
  maxDrawdown: { unit: 'share', meaning: 'Largest fall of the account value from an earlier maximum.' },
  volatility: { unit: 'share', meaning: 'Standard deviation of the returns per step, scaled to a year of 365 days.' },
  sharpe: { unit: 'ratio', needsDay: true, meaning: 'Mean ÷ standard deviation of the returns, scaled to a year of 365 days. Unknown for a run below a day.' },
  sortino: { unit: 'ratio', needsDay: true, meaning: 'Mean ÷ downside deviation of the returns, scaled to a year of 365 days. Unknown for a run below a day.' },
  calmar: { unit: 'ratio', needsDay: true, meaning: 'Return of a year (365 days, not compounded) ÷ largest drawdown. Unknown for a run below a day.' },
  winRate: { unit: 'share', meaning: 'Of the orders that closed or reduced a position: share with a profit before fees.' },
  turnover: { unit: 'ratio', meaning: 'Value of all fills ÷ mean account value.' },
  tradedUsdc: { unit: 'USDC', meaning: 'Value of all fills.' },
  fillRatio: { unit: 'share', meaning: 'Executed value ÷ ordered value of all orders.' },
  timeInMarket: { unit: 'share', meaning: 'Share of the steps at which the account had a position.' },
  meanExposure: { unit: 'ratio', meaning: 'Mean ratio of the positions\' value to the account value.' },
  maxExposure: { unit: 'ratio', meaning: 'Maximum ratio of the positions\' value to the account value.' },
  meanNet: { unit: 'ratio', meaning: 'Mean of abs(value of longs − value of shorts) ÷ account value.' },
  endExposureUsdc: { unit: 'USDC', meaning: 'Value of the positions at the end.' },
  endNetUsdc: { unit: 'USDC', meaning: 'Value of longs minus value of shorts at the end.' },
  positions: { unit: 'count', meaning: 'Open positions at the end.' },
  unprotected: { unit: 'count', meaning: 'Positions at the end without an open stop-loss for their whole size.' },
  openOrders: { unit: 'count', meaning: 'Open orders at the end.' },
  conditionalOrders: { unit: 'count', meaning: 'Conditional orders that were not triggered by the end.' },
  orders: { unit: 'count', meaning: 'Orders that the venue accepted.' },
  fills: { unit: 'count', meaning: 'Fills.' },
  liquidations: { unit: 'count', meaning: 'Liquidations of the account.' },
  decisions: { unit: 'count', meaning: 'Moments of venue time at which the agent called a tool.' },
  calls: { unit: 'count', meaning: 'Tool calls.' },
  tokens: { unit: 'count', meaning: 'Characters of calls and answers, divided by four.' },
  callsPerDecision: { unit: 'ratio', meaning: '`calls` ÷ `decisions`.' },
  tokensPerDecision: { unit: 'ratio', meaning: '`tokens` ÷ `decisions`.' },
  errors: { unit: 'count', meaning: 'Calls that failed for a reason other than a refusal or a limit.' },
  refusals: { unit: 'count', meaning: 'Calls that a rule of the venue or of a tool refused.' },
  limitHits: { unit: 'count', meaning: 'Calls that a limit of the agent refused.' },
  finished: { unit: 'count', meaning: '1 if the agent ended without an error or continued to the end of the run, otherwise 0.' },
} as const satisfies Record<string, FigureRow>

export type FigureName = keyof typeof FIGURES
export const FIGURE_NAMES = Object.keys(FIGURES).filter(isFigureName)

function isFigureName(name: string): name is FigureName {
  return Object.hasOwn(FIGURES, name)
}

const text = (pattern: string, description: string) => Type.String({ pattern, description })
const usdc = () =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 1e9, description: 'an amount of USDC' }))

/** Each description ends the sentence "length must be …" that a person reads. */
const Criterion = Type.Object(
  {
    figure: literals(FIGURE_NAMES, 'the name of a figure'),
    over: Type.Optional(literals(['every', 'mean'], '"every" (of the seeds) or "mean"')),
    at_least: Type.Optional(Type.Number({ description: 'a number' })),
    at_most: Type.Optional(Type.Number({ description: 'a number' })),
  },
  { additionalProperties: false, description: 'a table of figure and at_least or at_most' },
)
export type Criterion = Static<typeof Criterion>

const LimitsTable = Type.Object(
  {
    max_order_usdc: usdc(),
    max_daily_usdc: usdc(),
    max_position_usdc: usdc(),
    max_loss_usdc: usdc(),
    max_leverage: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: 'a whole number' }),
    ),
    max_orders_per_minute: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100_000, description: 'a whole number' }),
    ),
    reduce_only: Type.Optional(Type.Boolean({ description: 'true or false' })),
    read_only: Type.Optional(Type.Boolean({ description: 'true or false' })),
  },
  { additionalProperties: false, description: 'a table of limits' },
)
export type LimitsTable = Static<typeof LimitsTable>

/** The parameters of a fault by name, as in the venue's fault command. */
const FaultTable = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
  description: 'a table of a fault, with its kind',
})

const Seeds = Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
  minItems: 1,
  maxItems: EVALUATION_LIMITS.seedsMax,
  uniqueItems: true,
})

/** The file of an evaluation. */
export const EvaluationFile = Type.Object(
  {
    name: text('^[a-z0-9][a-z0-9-]{0,63}$', 'lower-case letters, digits and hyphens'),
    task: Type.String({
      minLength: 1,
      maxLength: 4000,
      description: 'what the agent is asked to do',
    }),
    seeds: Type.Union([Seeds, Type.Literal('hidden')], {
      description: 'a list of different whole numbers from 1, or "hidden"',
    }),
    worlds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: EVALUATION_LIMITS.seedsMax,
        description: `a whole number from 1 to ${EVALUATION_LIMITS.seedsMax}`,
      }),
    ),
    markets: Type.Array(text(SYMBOL_PATTERN.source, 'a symbol such as PERP_BTC_USDC'), {
      minItems: 1,
      maxItems: 54,
      uniqueItems: true,
      description: 'a list of different symbols',
    }),
    activity: Type.Optional(literals(ACTIVITIES, `one of ${ACTIVITIES.join(', ')}`)),
    start: Type.Optional(
      text(
        '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$',
        'a time such as 2026-03-01T00:00:00Z',
      ),
    ),
    length: duration('a duration such as 24h or 7d'),
    step: duration('a duration such as 1m'),
    usdc: usdc(),
    scenario: Type.Optional(
      Type.String({ minLength: 1, maxLength: 4096, description: 'the path of a scenario' }),
    ),
    tape: Type.Optional(
      Type.String({ minLength: 1, maxLength: 4096, description: 'the path of a tape' }),
    ),
    prices: Type.Optional(
      Type.String({ minLength: 1, maxLength: 4096, description: 'the path of a CSV of candles' }),
    ),
    latency: Type.Optional(
      Type.String({ maxLength: 100, description: 'such as feed=20/5,entry=10/2,answer=10/2' }),
    ),
    faults: Type.Optional(
      Type.Array(FaultTable, {
        maxItems: FAULT_LIMITS.rulesMax,
        description: 'a list of tables of faults',
      }),
    ),
    agent: Type.Optional(AgentTable),
    limits: Type.Optional(LimitsTable),
    criteria: Type.Optional(
      Type.Array(Criterion, {
        maxItems: 64,
        description: 'a list of tables of figure and at_least or at_most',
      }),
    ),
  },
  { additionalProperties: false, description: 'a table' },
)
export type EvaluationFile = Static<typeof EvaluationFile>
