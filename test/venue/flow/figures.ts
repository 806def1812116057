import {
  autocorrelation,
  busiestHour,
  gapsOf,
  impactExponent,
  kurtosis,
  moves,
  type Observed,
  type Print,
  signMemory,
  spreadWithVolatility,
  variation,
} from '../../../src/tape/statistics.ts'
import { advance } from '../../../src/venue/engine/run.ts'
import type { Scene, World } from '../../../src/venue/state/world.ts'

/** What was seen of one market, as an outsider sees it; quantities are steps. */
type Tape = Observed & {
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
export function taped(world: World, scene: Scene, days: number): Tape {
  const { market } = scene
  const { bids, asks } = market.book
  const beganAtMs = world.nowMs
  const tape = { prints: [], middles: [], spreads: [], beganAtMs, ...ZEROS } as Tape
  let [taker, changedAtMs, best] = [-1, beganAtMs, '']
  world.exchange.observers.push({
    matched: (match) => {
      if (match.market !== market) return
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
  { name: 'autocorrelation of trade signs, 1', of: ({ prints }) => signMemory(prints, 1), least: 0.1, most: 0.4 },
  { name: 'autocorrelation of trade signs, 50', of: ({ prints }) => signMemory(prints, 50), least: 0.02 },
  { name: 'impact exponent of a minute\'s flow', of: impactExponent, least: 0.4, most: 0.7, days: 7 },
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
