import { DAY_MS, HOUR_MS } from '../../spec/durations.ts'
import { observeTape, type Seen } from '../../tape/observe.ts'
import { booksAtEnd, openTapeReader } from '../../tape/read.ts'
import { finiteOf, gapsOf, mean } from '../../tape/statistics.ts'
import { PROFILES } from '../../venue/flow/profile.ts'
import { type Market as Listed, MARKETS } from '../../venue/listing/instruments.ts'
import type { Profile } from '../../venue/state/flow.ts'
import type { CommandArguments, CommandDeps } from '../command/command.ts'
import { TAPE_FLAGS } from '../command/flags.ts'
import { aligned, linesOf } from '../command/tables.ts'
import {
  DAILY_VOLATILITY,
  FIGURES,
  type Figure,
  MEAN_ORDER,
  SPREAD,
  TRADES,
  USUAL_ORDER,
} from './figures.ts'
import { type Model, observeModel } from './model.ts'
import { readTape } from './open.ts'
import { checkMarket, timeText } from './show.ts'

/** A fit needs a tape of so many minutes with a whole book, and so many orders that traded. */
const MINUTES_MIN = 10
const ORDERS_MIN = 50
/** The model is watched for about so long in all, with one seed or several, and so many trials are made, the nearest of which counts. */
const WATCHED_MS = 6 * HOUR_MS
const SEEDS_MAX = 6
const ROUNDS = 8
/** A market whose longest pause between trades is shorter has a small order in each pause. */
const PAUSE_MAX_MS = 5500
/** An arbitrageur waits for so many spreads. */
const EDGE_SPREADS = 2

/**
 * Fits a profile of the simulated order flow to a tape, and prints it with the figures of both. Answers the exit code: 0, or 1
 * when the model misses a figure that it is fitted to.
 */
export async function tapeFit(deps: CommandDeps, args: CommandArguments): Promise<0 | 1> {
  return await readTape(deps, args, (file) => {
    const symbols = [...booksAtEnd(file).values()].map(({ market }) => market.symbol)
    const symbol =
      args.get(TAPE_FLAGS.market.flag) ?? (symbols.length === 1 ? symbols[0] : undefined)
    if (symbol === undefined)
      throw new Error(`--market must be one of the tape's markets: ${symbols.join(', ')}`)
    checkMarket(symbol, symbols)
    const listed = listedOf(symbol)
    const { seen, firstMs, lastMs } = observeTape(openTapeReader(file), symbol)
    deps.print(`fitting ${symbol}`)
    const { model, figures } = fitTo(seen, listed, { fromMs: firstMs, forMs: lastMs - firstMs })
    const head = {
      ...{ symbol, from: timeText(firstMs * 1000), until: timeText(lastMs * 1000) },
      minutes: minutesOf(seen),
    }
    const profile = {
      ...model.profile,
      dailyTurnoverUsdc: Math.round(model.listed.dailyTurnoverUsdc),
    }
    deps.report({ ...head, profile, figures }, [
      ...linesOf(head, null),
      '',
      ...aligned(profileRows(profile)),
      '',
      ...aligned(figureRows(figures)),
    ])
    return figures.some(({ isMissed }) => isMissed) ? 1 : 0
  })
}

/** The unit of each parameter of a profile; empty for one that has none. */
const PROFILE_UNITS: Readonly<Record<keyof Profile | 'dailyTurnoverUsdc', string>> = {
  dailyVolatility: 'of the price, deviation of a day',
  rate: 'orders a second',
  referenceNoise: 'of the price, deviation',
  gridMs: 'ms',
  kernels: 'share of orders, ms',
  isFilled: '',
  waveVariance: 'of the logarithm',
  arbitrageEdge: 'of the price',
  limitRate: 'orders a second',
  dailyTurnoverUsdc: 'USDC a day',
}

/** The parameters of a profile with their units, as rows under a head. */
export function profileRows(profile: Profile & { readonly dailyTurnoverUsdc: number }): string[][] {
  const textOf = (value: unknown) =>
    typeof value === 'number' ? shown(value) : JSON.stringify(value)
  const values: Readonly<Record<string, unknown>> = profile
  const rows = Object.entries(PROFILE_UNITS).map(([name, unit]) => [
    name,
    textOf(values[name]),
    unit,
  ])
  return [['PARAMETER', 'VALUE', 'UNIT'], ...rows]
}

/** A figure of a tape and of the model that is fitted to it; null where the tape is too short for it. */
export type FittedFigure = Pick<Figure, 'name' | 'within'> & {
  readonly tape: number | null
  readonly model: number | null
  /** Of a tape that is too short for the figure: how many minutes it takes. */
  readonly fromMinutes: number | null
  /** Whether the model is further from the tape than a fit should be. */
  readonly isMissed: boolean
}

/** The figures with what they lack, as rows under a head. */
export function figureRows(figures: readonly FittedFigure[]): string[][] {
  const rows = figures.map((figure) => [
    figure.name,
    shown(figure.tape),
    shown(figure.model),
    noteOf(figure),
  ])
  return [['FIGURE', 'TAPE', 'MODEL', 'NOTE'], ...rows]
}

function noteOf({ fromMinutes, within = 0, isMissed }: FittedFigure): string {
  if (isMissed) return `missed: should be within ${100 * within} %; a longer tape says more`
  return fromMinutes === null ? '' : `from ${fromMinutes / 60} h of tape on`
}

function listedOf(symbol: string): Listed {
  const listed = MARKETS.get(symbol)
  if (listed) return listed
  const known = [...MARKETS.keys()].slice(0, 3).join(', ')
  throw new Error(
    `${symbol} is no market of the embedded venue, such as ${known}: import it under --market`,
  )
}

function shown(value: number | null): string {
  return value === null ? '-' : String(Number(value.toPrecision(4)))
}

type Span = Pick<Model, 'fromMs' | 'forMs'>

/** The model that is nearest to what a tape shows, and the figures of both; null where a tape is too short for one. */
export function fitTo(seen: Seen, listed: Listed, { fromMs, forMs }: Span) {
  const minutes = minutesOf(seen)
  if (minutes < MINUTES_MIN || seen.prints.length < ORDERS_MIN)
    throw new Error(
      `a fit needs ${MINUTES_MIN} minutes of the whole book and ${ORDERS_MIN} orders that traded: this tape has ${minutes} and ${seen.prints.length} of ${listed.symbol}`,
    )
  const first = firstModel(seen, listed, { fromMs, forMs: Math.min(DAY_MS, forMs) })
  const count = Math.min(SEEDS_MAX, Math.max(1, Math.round(WATCHED_MS / first.forMs)))
  const seeds = Array.from({ length: count }, (_, at) => at + 1)
  let trial = trialOf(first, seeds, seen)
  let best = trial
  for (let round = 1; round < ROUNDS; round += 1) {
    trial = trialOf(nearer(trial.model, seen, trial.watched), seeds, seen)
    if (trial.distance < best.distance) best = trial
  }
  const figures = FIGURES.map((figure) => fittedFigure(figure, minutes, seen, best.watched))
  return { model: best.model, figures }
}

/** The whole minutes in which a tape shows the book. */
function minutesOf({ spreads }: Seen): number {
  return Math.floor(finiteOf(spreads).length / 60)
}

function fittedFigure(
  { name, of, leastMinutes, within }: Figure,
  minutes: number,
  seen: Seen,
  watched: readonly Seen[],
): FittedFigure {
  const isShort = minutes < leastMinutes
  const tape = isShort ? null : finite(of(seen))
  const model = isShort ? null : finite(mean(watched.map(of)))
  const fromMinutes = isShort ? leastMinutes : null
  if (within === undefined) return { name, tape, model, fromMinutes, isMissed: false }
  const isNear = tape !== null && model !== null && Math.abs(model / tape - 1) <= within
  return { name, tape, model, fromMinutes, within, isMissed: !isNear }
}

/** A model as it was watched, and how far it is from a tape in the figures that it is fitted to. */
function trialOf(model: Model, seeds: readonly number[], seen: Seen) {
  const watched = seeds.map((seed) => observeModel(model, seed))
  const distance = [DAILY_VOLATILITY, TRADES, SPREAD, USUAL_ORDER].reduce(
    (sum, of) => sum + Math.log(of(seen) / mean(watched.map(of))) ** 2,
    0,
  )
  return { model, watched, distance }
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null
}

/** A market at the price of a tape, with the profile whose rate is nearest. */
function firstModel(seen: Seen, listed: Listed, span: Span): Model {
  const price = Math.exp(seen.middles.find(Number.isFinite) ?? Number.NaN)
  const rate = TRADES(seen) / 60
  const distance = (profile: Profile) => Math.abs(Math.log(profile.rate / rate))
  const [base] = PROFILES.toSorted((a, b) => distance(a) - distance(b))
  if (!base) throw new RangeError('there are no profiles')
  const isFilled =
    Math.max(
      ...gapsOf(seen.prints)
        .toSorted((a, b) => b - a)
        .slice(0, 1),
    ) <= PAUSE_MAX_MS
  const arbitrageEdge = Math.max(base.arbitrageEdge, (EDGE_SPREADS * SPREAD(seen)) / 10_000)
  return {
    ...span,
    profile: { ...base, isFilled, arbitrageEdge, rate },
    listed: {
      ...listed,
      referenceTicks: Math.round((price * 1e8) / Number(listed.quoteTick)),
      dailyTurnoverUsdc: MEAN_ORDER(seen) * TRADES(seen) * 1440,
    },
  }
}

/** Brings a model nearer to a tape: each parameter by the ratio of the figure that follows from it. */
function nearer(model: Model, seen: Seen, watched: readonly Seen[]): Model {
  const { profile, listed } = model
  const ratio = (of: (seen: Seen) => number) => bounded(of(seen) / mean(watched.map(of)), 0.5, 2)
  return {
    ...model,
    profile: {
      ...profile,
      dailyVolatility: bounded(profile.dailyVolatility * ratio(DAILY_VOLATILITY), 1e-4, 2),
      rate: bounded(profile.rate * ratio(TRADES), 1e-3, 20),
      referenceNoise: bounded(profile.referenceNoise * ratio(SPREAD), 1e-6, 0.01),
    },
    listed: {
      ...listed,
      dailyTurnoverUsdc: listed.dailyTurnoverUsdc * ratio(USUAL_ORDER) * ratio(TRADES),
    },
  }
}

function bounded(value: number, least: number, most: number): number {
  return Number.isFinite(value) ? Math.max(least, Math.min(most, value)) : least
}
