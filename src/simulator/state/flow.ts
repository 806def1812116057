import type { Rng } from '../base/rng.ts'

/**
 * What a market's simulated order flow remembers, as plain data that a snapshot stores. Prices are natural logarithms of
 * ticks, quantities are units of `unitSteps`, times are milliseconds of the world.
 */
export type Flow = {
  /** How many orders arrive, as a multiple of what is usual. */
  readonly activity: number
  /** The logarithm of the price that the market was listed at, to which its value returns within months. */
  readonly referenceLog: number
  /** Until when a minute is one step: a world that was away for long catches up so. */
  coarseUntilMs: number
  /** How often makers look at the references. */
  readonly lookMs: number
  /** Steps of the market in a unit. */
  readonly unitSteps: number
  /** The source of the moves that all markets have in common. */
  readonly common: number
  readonly agents: FlowAgents
  readonly value: HiddenValue
  readonly arrivals: Arrivals
  readonly quoting: Quoting
}

/** How a market's value moves and its orders arrive. */
export type Profile = {
  /** Standard deviation of a day's move. */
  readonly dailyVolatility: number
  /** Orders a second. */
  readonly rate: number
  /** Standard deviation of a reference's error, as a share of the price. */
  readonly referenceNoise: number
  readonly gridMs: number
  /** Kernels of self-excitation: the share of orders that each brings about, and its time. */
  readonly kernels: readonly { readonly share: number; readonly ms: number }[]
  /** Whether a small order is sent when nothing has traded for some seconds. */
  readonly isFilled: boolean
  readonly waveVariance: number
  /** From where on an arbitrageur trades, as a share of the price. */
  readonly arbitrageEdge: number
  /** Limit orders a second that are placed or cancelled at random. */
  readonly limitRate: number
}

/** The numbers of the agents who trade the flow. */
type FlowAgents = {
  readonly makers: number[]
  /** Who sends the orders of each hidden order, and last those that belong to none. */
  readonly takers: number[]
  readonly arbitrageurs: number[]
  /** Who places limit orders at random. */
  readonly passive: number[]
}

/** The value that no order moves, what makes it move, and the references that follow it. */
export type HiddenValue = {
  readonly rng: Rng
  readonly newsRng: Rng
  /** The value now, and at the steps before, the latest first. */
  log: number
  readonly before: number[]
  /** Ornstein-Uhlenbeck processes whose sum is the logarithm of volatility; phases of its slow waves, in turns. */
  readonly waves: number[]
  readonly phases: readonly number[]
  /** What news still adds to the logarithm of volatility. */
  burst: number
  /** News that is still to come in this stratum, earliest first: when, and by how much the value moves. */
  readonly news: { readonly atMs: number; readonly move: number }[]
  newsUntilMs: number
  /** Slow noise of the references' mean. */
  noise: number
  /** The references' mean a second ago, which is published as the index now. */
  pending: number
  mood: Mood
}

/** What volatility and rates depend on, as of the last second. */
export type Mood = {
  /** The logarithm of volatility less a part of its variance, by which rates move, and less all of it. */
  readonly level: number
  readonly centred: number
  /** What the hour of the day adds. */
  readonly hour: number
  /** Standard deviation of the value's move in a second, without news. */
  readonly sigma: number
}

/** One hidden order, of which children are sent until none is left; in whose account, -1 before the first. */
export type HiddenOrder = { side: number; size: number; left: number; taker: number }

/** When orders arrive, and whose they are. */
export type Arrivals = {
  readonly rng: Rng
  readonly timeRng: Rng
  readonly noiseRng: Rng
  /** What past arrivals still add to the rate, by kernel. */
  readonly excited: number[]
  /** How many arrivals the last half minute had, decaying. */
  recent: number
  atMs: number
  /** When a small order is sent if there was no arrival before; a market without such has infinity, stored as null. */
  fillerAtMs: number | null
  readonly hidden: HiddenOrder[]
  /** The net quantity of all hidden orders so far. */
  net: number
  /** Slow processes of the size of orders. */
  readonly sizes: number[]
  /** Averages of the signed impact of hidden orders over the last ones, from which the next is predicted. */
  readonly averages: number[]
}

/** What makers believe. */
export type Quoting = {
  readonly rng: Rng
  /** The estimate of the value, and at the last look. */
  estimate: number
  lastEstimate: number
  /** Mean squares of the estimate's moves between two looks: over one minute and over fifteen. */
  quick: number
  slow: number
  /** Averages of the signed impact of all orders that were seen, and how many there were in the last half minute. */
  readonly averages: number[]
  recent: number
  seenAtMs: number
  /** The mean size of an order, and how much larger than usual quotes are because orders are. */
  meanSize: number
  grown: number
  changedAtMs: number
  readonly makers: MakerState[]
}

/** What one maker knows of itself. */
export type MakerState = {
  /** Its own error of the estimate, in half widths. */
  noise: number
  /** By how much it quotes wider than the volatility. */
  width: number
  /** Whether a quote has filled since it looked at them. */
  isHit: boolean
  /** The estimate around which it quotes. */
  anchor: number
  /** Fills of the last seconds whose gain is not known yet: signed units and what they cost, by ten seconds. */
  readonly fills: { units: number; cost: number; volume: number }[]
  /** Gain and volume of fills of the last hours, decaying. */
  gain: number
  volume: number
}
