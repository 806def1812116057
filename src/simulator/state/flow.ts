import type { Rng } from '../base/rng.ts'

/**
 * The state of a market's simulated order flow, as plain data that a snapshot stores. Prices are natural logarithms
 * of ticks, quantities are units of `unitSteps`, times are milliseconds of the world.
 */
export type MarketFlow = {
  /** The rate of orders as a multiple of the usual rate. */
  readonly activity: number
  /** The logarithm of the price at which the market was listed. Its value returns to this price within months. */
  readonly referenceLog: number
  /** Until this time each step spans a minute, so that a world that was closed for long catches up. */
  coarseUntilMs: number
  /** The interval at which makers read the references. */
  readonly lookMs: number
  /** Steps of the market per unit. */
  readonly unitSteps: number
  /** The source of the moves that all markets have in common. */
  readonly common: number
  readonly agents: FlowAgents
  readonly value: HiddenValue
  readonly arrivals: Arrivals
  readonly quoting: Quoting
}

/** How a market's value moves and its orders arrive. */
export type FlowProfile = {
  /** Standard deviation of a day's relative move. */
  readonly dailyVolatility: number
  /** Orders per second. */
  readonly rate: number
  /** Standard deviation of a reference's error, as a share of the price. */
  readonly referenceNoise: number
  readonly gridMs: number
  /** Kernels of self-excitation: the share of orders that each one causes, and its decay time. */
  readonly kernels: readonly { readonly share: number; readonly ms: number }[]
  /** Whether a small order is sent after some seconds without a trade. */
  readonly isFilled: boolean
  readonly waveVariance: number
  /** The minimum distance at which an arbitrageur trades, as a share of the price. */
  readonly arbitrageEdge: number
  /** Limit orders per second that are placed or cancelled at random. */
  readonly limitRate: number
}

/** The numbers of the agents who trade the flow. */
type FlowAgents = {
  readonly makers: number[]
  /** The senders of hidden orders' children, and last the sender of noise orders. */
  readonly takers: number[]
  readonly arbitrageurs: number[]
  /** The senders of random limit orders. */
  readonly passive: number[]
}

/** A value that orders cannot move directly, the processes that move it, and the references that follow it. */
export type HiddenValue = {
  readonly rng: Rng
  readonly newsRng: Rng
  /** The value now, and at the steps before, the latest first. */
  log: number
  readonly before: number[]
  /** Ornstein-Uhlenbeck processes whose sum is the logarithm of volatility; phases of its slow waves, in turns. */
  readonly waves: number[]
  readonly phases: readonly number[]
  /** The remaining effect of news on the logarithm of volatility. */
  burst: number
  /** News that is still to come in this stratum, earliest first: its time and the move of the value. */
  readonly news: { readonly atMs: number; readonly move: number }[]
  newsUntilMs: number
  /** Slow noise of the references' mean. */
  noise: number
  /** The references' mean one second ago, which is published as the index now. */
  pending: number
  mood: Mood
}

/** The state of volatility and rates, updated every ten seconds. */
export type Mood = {
  /** The logarithm of volatility, less a part of its variance (for rates) and less all of it. */
  readonly level: number
  readonly centred: number
  /** The effect of the hour of the day. */
  readonly hour: number
  /** Standard deviation of the value's move per second, without news. */
  readonly sigma: number
}

/**
 * One hidden order: its side, base size, remaining children, and the number of its taker, -1 before the first child.
 */
export type HiddenOrder = { side: number; size: number; left: number; taker: number }

/** The process of arriving orders, and the hidden orders behind them. */
export type Arrivals = {
  readonly rng: Rng
  readonly timeRng: Rng
  readonly noiseRng: Rng
  /** The remaining effect of past arrivals on the rate, by kernel. */
  readonly excited: number[]
  /** The decaying number of arrivals in the last half minute. */
  recent: number
  atMs: number
  /** The time of a small order if the market has not traded until then; null for a market without such orders. */
  fillerAtMs: number | null
  readonly hidden: HiddenOrder[]
  /** The net quantity of all hidden orders so far. */
  net: number
  /** Slow processes of the size of orders. */
  readonly sizes: number[]
  /** Averages of the signed impact of the latest hidden orders, which predict the next one. */
  readonly averages: number[]
}

/** The makers' estimates. */
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
  /** The mean size of an order, and the size of quotes relative to the usual size. */
  meanSize: number
  grown: number
  changedAtMs: number
  readonly makers: MakerState[]
}

/** The state of one maker. */
export type MakerState = {
  /** Its own error of the estimate, in half widths. */
  noise: number
  /** The width of its quotes as a multiple of the volatility. */
  width: number
  /** Whether a quote has filled since its last look at them. */
  isHit: boolean
  /** The estimate around which it quotes. */
  anchor: number
  /** Fills of the last seconds whose gain is still unknown: signed units and their cost, by ten seconds. */
  readonly fills: { units: number; cost: number; volume: number }[]
  /** Gain and volume of fills of the last hours, decaying. */
  gain: number
  volume: number
}
