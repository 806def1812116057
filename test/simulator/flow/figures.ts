import { advance } from '../../../src/simulator/engine/run.ts'
import type { HiddenOrder } from '../../../src/simulator/state/flow.ts'
import type { Match } from '../../../src/simulator/state/observer.ts'
import type { EngineWorld, Scene } from '../../../src/simulator/state/world.ts'
import {
  autocorrelation,
  busiestHour,
  correlation,
  gapsOf,
  impactExponent,
  kurtosis,
  mean,
  median,
  moves,
  type Observed,
  type Print,
  signMemory,
  sizeOf,
  spreadWithVolatility,
  variation,
} from './statistics.ts'

/** A whole hidden order: how much it traded, and by which logarithm the price went with it. */
type Whole = { readonly quantity: number; readonly move: number }

/** What was seen of one market, as an outsider sees it but for its hidden orders; quantities are steps. */
type Tape = Observed & {
  readonly wholes: Whole[]
  readonly prints: Print[]
  readonly middles: number[]
  readonly spreads: number[]
  bookChanges: number
  bestChanges: number
  longestStillMs: number
  oneSidedSteps: number
}

const STEP_MS = 250

/** Lets a world go on for some days and notes what happens in a market, looking four times a second. */
export function taped(world: EngineWorld, scene: Scene, days: number): Tape {
  const { market } = scene
  const { bids, asks } = market.book
  const beganAtMs = world.nowMs
  const tape = { prints: [], middles: [], spreads: [], wholes: [], beganAtMs, ...ZEROS } as Tape
  const hidden = followHidden(world, scene, tape.wholes)
  let [taker, changedAtMs, best] = [-1, beganAtMs, '']
  world.exchange.observers.push({
    matched: (match) => {
      if (match.market !== market) return
      hidden.trade(match)
      const last = tape.prints.at(-1)
      if (match.taker.id === taker && last) last.quantity += match.quantity
      else
        tape.prints.push({
          atMs: match.atMs,
          side: match.taker.side,
          quantity: match.quantity,
          usdc: 0,
        })
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
    hidden.look(Math.log(middle))
    if (step % 4 === 0 && bid && ask) tape.spreads.push(((ask - bid) / middle) * 10_000)
    if (step % 240 === 0)
      tape.middles.push(bid && ask ? Math.log(middle) : (tape.middles.at(-1) ?? 0))
  }
  return tape
}

/** Notes the hidden orders of a market that are over: given its matches, and looks at the logarithm of its middle. */
function followHidden({ agents }: EngineWorld, { flow }: Scene, over: Whole[]) {
  const alive = new Map<HiddenOrder, { quantity: number; from: number | null }>()
  const hidden = flow?.arrivals.hidden ?? []
  let last = Number.NaN
  return {
    trade: ({ taker, quantity }: Match) => {
      const { account } = taker.marketAccount
      for (const [order, traded] of alive) {
        if (order.side !== taker.side || agents[order.taker]?.account !== account) continue
        traded.quantity += quantity
        traded.from ??= last
        return
      }
    },
    look: (middle: number) => {
      for (const [order, { quantity, from }] of alive) {
        if (hidden.includes(order)) continue
        alive.delete(order)
        if (from !== null) over.push({ quantity, move: order.side * (middle - from) })
      }
      for (const order of hidden)
        if (!alive.has(order)) alive.set(order, { quantity: 0, from: null })
      last = middle
    },
  }
}

/** A mean over fewer hidden orders says nothing, nor do the smallest; moves beyond so many usual ones are news. */
const [WHOLES_LEAST, SIZES_LEFT_OUT, USUAL_MOVES_MAX] = [30, 2, 10]

/** The exponent of impact of whole hidden orders: as of a minute's flow, by sizes that double. */
function wholeExponent({ wholes }: Tape): number {
  const sizes = Map.groupBy(wholes, ({ quantity }) => Math.round(Math.log2(quantity)))
  const points = [...sizes]
    .filter(([, orders]) => orders.length >= WHOLES_LEAST)
    .map(([size, orders]) => [size, Math.log2(usualMean(orders.map(({ move }) => move)))] as const)
    .filter(([, move]) => Number.isFinite(move))
    .sort(([one], [other]) => one - other)
    .slice(SIZES_LEFT_OUT)
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)]
  const spread = (values: readonly number[]) => sizeOf(values.map((each) => each - mean(values)))
  return (correlation(xs, ys) * spread(ys)) / spread(xs)
}

function usualMean(moved: readonly number[]): number {
  const most = USUAL_MOVES_MAX * median(moved.map(Math.abs))
  return mean(moved.map((each) => Math.max(-most, Math.min(most, each))))
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
  { name: 'autocorrelation of trade signs, 1', of: ({ prints }) => signMemory(prints, 1), least: 0.1, most: 0.4 },
  { name: 'autocorrelation of trade signs, 50', of: ({ prints }) => signMemory(prints, 50), least: 0.02 },
  { name: 'impact exponent of a minute\'s flow', of: impactExponent, least: 0.4, most: 0.7, days: 7 },
  { name: 'impact exponent of a whole hidden order', of: wholeExponent, least: 0.4, most: 0.7, days: 7 },
  { name: 'variation of the gaps between trades', of: ({ prints }) => variation(gapsOf(prints)), least: 1.5, days: 7 },
  { name: 'correlation of hourly spread and volatility', of: spreadWithVolatility, least: 0.4, days: 1 },
  { name: 'changes of the book a minute', of: (tape) => tape.bookChanges / tape.middles.length, least: 250, only: BUSY },
  { name: 'changes of the best prices a minute', of: (tape) => tape.bestChanges / tape.middles.length, least: 60, only: BUSY, days: 1 },
  { name: 'trades a minute', of: ({ prints, middles }) => prints.length / middles.length, least: 65, only: BUSY, days: 1 },
  { name: 'longest gap between trades, s', of: ({ prints }) => Math.max(...largest(gapsOf(prints))) / 1000, most: 5, only: BUSY },
  { name: 'longest time without a change, s', of: ({ longestStillMs }) => longestStillMs / 1000, most: 5, only: BUSY },
  { name: 'busiest hour of the day over the quietest', of: ({ prints }) => busiestHour(prints), least: 2, most: 6, days: 7 },
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

/** The largest few: a spread of all would have more arguments than there may be. */
function largest(values: readonly number[]): number[] {
  return values.toSorted((a, b) => b - a).slice(0, 3)
}
