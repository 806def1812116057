import { advance } from '../../../src/venue/engine/run.ts'
import type { Scene, World } from '../../../src/venue/state/world.ts'

/** What was seen of one market, as an outsider sees it. */
export type Tape = {
  /** Orders that traded: several matches of one taker are one. */
  readonly prints: { readonly atMs: number; readonly side: number; quantity: number }[]
  /** The middle of the book at the end of each minute, as a logarithm. */
  readonly middles: number[]
  /** Basis points, once a second. */
  readonly spreads: number[]
  bookChanges: number
  bestChanges: number
  longestStillMs: number
  oneSidedSteps: number
}

const STEP_MS = 250

/** Lets a world go on for some days and notes what happens in a market, looking four times a second. */
export function taped(world: World, scene: Scene, days: number): Tape {
  const tape = { prints: [], middles: [], spreads: [], ...ZEROS } as Tape
  const { market } = scene
  const { bids, asks } = market.book
  const beganAtMs = world.nowMs
  let [taker, changedAtMs, best] = [-1, beganAtMs, '']
  world.exchange.observers.push({
    matched: (match) => {
      if (match.market !== market) return
      const last = tape.prints.at(-1)
      if (match.taker.id === taker && last) last.quantity += match.quantity
      else tape.prints.push({ atMs: match.atMs, side: match.taker.side, quantity: match.quantity })
      taker = match.taker.id
    },
    ordered: (order) => {
      if (order.marketAccount.market !== market) return
      tape.bookChanges += 1
      tape.longestStillMs = Math.max(tape.longestStillMs, order.updatedAtMs - changedAtMs)
      changedAtMs = order.updatedAtMs
      const now = `${bids.best?.price} ${asks.best?.price}`
      if (now !== best) tape.bestChanges += 1
      best = now
    },
  })
  const steps = (days * 86_400_000) / STEP_MS
  for (let step = 1; step <= steps; step += 1) {
    advance(world, beganAtMs + step * STEP_MS)
    const [bid, ask] = [bids.best?.price ?? 0, asks.best?.price ?? 0]
    if (bid === 0 || ask === 0) tape.oneSidedSteps += 1
    const middle = (bid + ask) / 2
    if (step % 4 === 0 && bid && ask) tape.spreads.push(((ask - bid) / middle) * 10_000)
    if (step % 240 === 0)
      tape.middles.push(bid && ask ? Math.log(middle) : (tape.middles.at(-1) ?? 0))
  }
  return tape
}

const ZEROS = { bookChanges: 0, bestChanges: 0, longestStillMs: 0, oneSidedSteps: 0 }

/** A figure of a market's tape, and where that of a real one lies. */
type Bar = {
  readonly name: string
  readonly of: (tape: Tape) => number
  readonly least?: number
  readonly most?: number
  /** Which markets have it: those with a small order in each pause, or all; and how many days it takes to be seen. */
  readonly only?: readonly string[]
  readonly days?: number
}

const BUSY = ['BTC', 'ETH']

// biome-ignore format: one figure a row
const BARS: readonly Bar[] = [
  { name: 'autocorrelation of one-minute returns, size', of: ({ middles }) => Math.abs(autocorrelation(moves(middles, 1), 1)), most: 0.05, days: 7 },
  { name: 'autocorrelation of their sizes, 5 min', of: ({ middles }) => autocorrelation(moves(middles, 1).map(Math.abs), 5), least: 0.15, most: 0.35, days: 7 },
  { name: 'autocorrelation of their sizes, 4 h', of: ({ middles }) => autocorrelation(moves(middles, 1).map(Math.abs), 240), least: 0.05, days: 7 },
  { name: 'kurtosis of hourly returns', of: ({ middles }) => kurtosis(moves(middles, 60)), least: 5, days: 7 },
  { name: 'autocorrelation of trade signs, 1', of: ({ prints }) => product(prints, 1), least: 0.1, most: 0.4 },
  { name: 'autocorrelation of trade signs, 50', of: ({ prints }) => product(prints, 50), least: 0.02 },
  { name: 'impact exponent of a minute\'s flow', of: impactExponent, least: 0.4, most: 0.7, days: 7 },
  { name: 'variation of the gaps between trades', of: ({ prints }) => variation(gaps(prints)), least: 1.5, days: 7 },
  { name: 'correlation of hourly spread and volatility', of: spreadWithVolatility, least: 0.4, days: 1 },
  { name: 'changes of the book a minute', of: (tape) => tape.bookChanges / tape.middles.length, least: 250, only: BUSY },
  { name: 'changes of the best prices a minute', of: (tape) => tape.bestChanges / tape.middles.length, least: 60, only: BUSY, days: 1 },
  { name: 'trades a minute', of: ({ prints, middles }) => prints.length / middles.length, least: 65, only: BUSY, days: 1 },
  { name: 'longest gap between trades, s', of: ({ prints }) => Math.max(...largest(gaps(prints))) / 1000, most: 5, only: BUSY },
  { name: 'longest time without a change, s', of: ({ longestStillMs }) => longestStillMs / 1000, most: 5, only: BUSY },
  { name: 'busiest hour of the day over the quietest', of: busiestHour, least: 2, most: 6, days: 7 },
  { name: 'moments with one side of a book', of: ({ oneSidedSteps }) => oneSidedSteps, most: 0 },
]

/** Each figure that a market of some days' tape should have, and whether it does. */
export function figuresOf(tape: Tape, base: string, days: number) {
  return BARS.filter(
    (bar) => (bar.days ?? 0.25) <= days && (bar.only ?? [base]).includes(base),
  ).map(({ name, of, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY }) => {
    const value = of(tape)
    return { name, value, least, most, isMet: value >= least && value <= most }
  })
}

function moves(logs: readonly number[], lag: number): number[] {
  const every = logs.filter((_, at) => at % lag === 0)
  return every.slice(1).map((log, at) => log - (every[at] ?? log))
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function autocorrelation(values: readonly number[], lag: number): number {
  return correlation(values.slice(lag), values.slice(0, -lag))
}

function correlation(ones: readonly number[], others: readonly number[]): number {
  const [one, other] = [mean(ones), mean(others)]
  const sum = (of: (at: number) => number) => ones.reduce((total, _, at) => total + of(at), 0)
  const [a, b] = [(at: number) => (ones[at] ?? 0) - one, (at: number) => (others[at] ?? 0) - other]
  return sum((at) => a(at) * b(at)) / Math.sqrt(sum((at) => a(at) ** 2) * sum((at) => b(at) ** 2))
}

function kurtosis(values: readonly number[]): number {
  const middle = mean(values)
  const moment = (power: number) => mean(values.map((value) => (value - middle) ** power))
  return moment(4) / moment(2) ** 2
}

function product(prints: Tape['prints'], lag: number): number {
  return mean(prints.slice(lag).map(({ side }, at) => side * (prints[at]?.side ?? 0)))
}

function gaps(prints: Tape['prints']): number[] {
  return prints.slice(1).map(({ atMs }, at) => atMs - (prints[at]?.atMs ?? atMs))
}

/** The largest few: a spread of all would have more arguments than there may be. */
function largest(values: readonly number[]): number[] {
  return [...values].sort((a, b) => b - a).slice(0, 3)
}

function variation(values: readonly number[]): number {
  const middle = mean(values)
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2))) / middle
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
}

function spreadWithVolatility({ middles, spreads }: Tape): number {
  const hours = Math.floor(middles.length / 60)
  const each = Array.from({ length: hours }, (_, hour) => hour)
  const volatility = each.map((hour) => {
    const own = moves(middles.slice(hour * 60, hour * 60 + 60), 1)
    return Math.sqrt(mean(own.map((move) => move * move)))
  })
  return correlation(
    volatility,
    each.map((hour) => median(spreads.slice(hour * 3600, hour * 3600 + 3600))),
  )
}

function busiestHour({ prints }: Tape): number {
  const hours = new Array<number>(24).fill(0)
  for (const { atMs, quantity } of prints) {
    const hour = Math.floor((atMs % 86_400_000) / 3_600_000)
    hours[hour] = (hours[hour] ?? 0) + quantity
  }
  return Math.max(...hours) / Math.min(...hours)
}

const BUCKETS = 12
/** The smallest flows say nothing of the exponent: noise moves the price in their minutes. */
const BUCKETS_LEFT_OUT = 2

/** The slope of the logarithm of a minute's mean move over that of its net flow, by buckets of equal counts. */
function impactExponent({ prints, middles }: Tape): number {
  const began = Math.floor((prints[0]?.atMs ?? 0) / 60_000)
  const flows = new Array<number>(middles.length).fill(0)
  for (const { atMs, side, quantity } of prints) {
    const minute = Math.floor(atMs / 60_000) - began
    if (minute < flows.length) flows[minute] = (flows[minute] ?? 0) + side * quantity
  }
  const pairs = moves(middles, 1)
    .map((move, at) => ({ flow: flows[at + 1] ?? 0, move }))
    .filter(({ flow }) => flow !== 0)
    .map(({ flow, move }) => ({ flow: Math.abs(flow), move: move * Math.sign(flow) }))
    .sort((a, b) => a.flow - b.flow)
  const points = Array.from({ length: BUCKETS }, (_, at) => {
    const [from, to] = [at, at + 1].map((edge) => Math.floor((edge * pairs.length) / BUCKETS))
    const bucket = pairs.slice(from, to)
    return {
      flow: mean(bucket.map(({ flow }) => flow)),
      move: mean(bucket.map(({ move }) => move)),
    }
  }).slice(BUCKETS_LEFT_OUT)
  return slope(
    points.filter(({ move }) => move > 0).map(({ flow, move }) => [Math.log(flow), Math.log(move)]),
  )
}

function slope(points: readonly (readonly [number, number] | readonly number[])[]): number {
  const [xs, ys] = [points.map(([x = 0]) => x), points.map(([, y = 0]) => y)]
  const [x0, y0] = [mean(xs), mean(ys)]
  const sum = (of: (at: number) => number) => xs.reduce((total, _, at) => total + of(at), 0)
  const dx = (at: number) => (xs[at] ?? 0) - x0
  return sum((at) => dx(at) * ((ys[at] ?? 0) - y0)) / sum((at) => dx(at) ** 2)
}
