import type { Rng } from '../base/rng.ts'

/**
 * The state of a market's simulated order flow, as plain data for snapshots. Prices are natural logarithms of ticks,
 * quantities are units of `unitSteps`, times are ms of the world.
 */
export type MarketFlow = {
  /** The order rate, as a multiple of the usual rate. */
  readonly activity: number
  /** Logarithm of the price at which the market was listed. The value returns to this price within months. */
  readonly referenceLog: number
  /** Until this time each step spans a minute, so that a world that was closed for long catches up quickly. */
  coarseUntilMs: number
  /** How often makers read the references. */
  readonly lookMs: number
  /** Steps of the market per unit of the order flow. */
  readonly unitSteps: number
  /** The random stream of the moves that all markets have in common. */
  readonly common: number
  readonly agents: FlowAgents
  readonly value: HiddenValue
  readonly arrivals: Arrivals
  readonly quoting: Quoting
}

/** Parameters of a market's order flow: how its value moves and how its orders arrive. */
export type FlowProfile = {
  /** Standard deviation of the relative price move of a day. */
  readonly dailyVolatility: number
  /** Usual number of orders per second. */
  readonly rate: number
  /** Standard deviation of a reference price's error, as a share of the price. */
  readonly referenceNoise: number
  readonly gridMs: number
  /**
   * How orders excite further orders. `share` is the number of further orders that one order causes, `ms` the decay
   * time.
   */
  readonly kernels: readonly { readonly share: number; readonly ms: number }[]
  /** Whether a small order is sent after some seconds without a trade. */
  readonly isFilled: boolean
  readonly waveVariance: number
  /** The smallest price deviation at which an arbitrageur trades, as a share of the price. */
  readonly arbitrageEdge: number
  /** Number of limit orders per second that are placed or cancelled at random. */
  readonly limitRate: number
}

/** The numbers of the agents that trade the flow. */
type FlowAgents = {
  readonly makers: number[]
  /** The agents that send hidden orders' children. The last agent sends noise orders instead. */
  readonly takers: number[]
  readonly arbitrageurs: number[]
  /** The agents that place random limit orders. */
  readonly passive: number[]
}

/** The market's hidden value, the processes that move the value, and the reference prices that follow it. */
export type HiddenValue = {
  readonly rng: Rng
  readonly newsRng: Rng
  /** The logarithm of the value now. */
  log: number
  /** The logarithms at earlier steps, latest first. */
  readonly before: number[]
  /** Ornstein-Uhlenbeck processes that add up to the logarithm of volatility. */
  readonly waves: number[]
  /** Phases of the slow waves of volatility, in turns. */
  readonly phases: readonly number[]
  /** The effect that news still has on the logarithm of volatility. */
  burst: number
  /** Planned news of this period, earliest first: its time, and by how much it moves the value. */
  readonly news: { readonly atMs: number; readonly move: number }[]
  newsUntilMs: number
  /** Slow noise in the mean of the reference prices. */
  noise: number
  /** The mean of the reference prices one second ago, which is published as the index now. */
  pending: number
  mood: Mood
}

/** Volatility and rates, updated every ten seconds. */
export type Mood = {
  /** The logarithm of volatility minus a part of its variance. Order rates use it. */
  readonly level: number
  /** The logarithm of volatility minus its whole variance. */
  readonly centred: number
  /** The effect of the hour of day. */
  readonly hour: number
  /** Standard deviation of the value's move per second, without the effect of news. */
  readonly sigma: number
}

/**
 * A hidden order: its side, base size, remaining children, and its taker's number, which is -1 before the first child.
 */
export type HiddenOrder = { side: number; size: number; left: number; taker: number }

/** How orders arrive, and the hidden orders behind them. */
export type Arrivals = {
  readonly rng: Rng
  readonly timeRng: Rng
  readonly noiseRng: Rng
  /** How much past arrivals still raise the order rate, for each kernel. */
  readonly excited: number[]
  /** Exponentially decaying number of arrivals over half a minute. */
  recent: number
  atMs: number
  /**
   * The time at which a small order is sent if the market does not trade before; null for a market without such orders.
   */
  fillerAtMs: number | null
  readonly hidden: HiddenOrder[]
  /** The net quantity of all hidden orders so far. */
  net: number
  /** Slow processes behind the sizes of orders. */
  readonly sizes: number[]
  /** Averages of the signed impact of the latest hidden orders, which predict the impact of the next hidden order. */
  readonly averages: number[]
}

/** The estimates of a market's makers. */
export type Quoting = {
  readonly rng: Rng
  /** The estimated logarithm of the value now. */
  estimate: number
  /** The estimate at the last look at the reference prices. */
  lastEstimate: number
  /** Mean square of the estimate's moves between two looks, over one minute. */
  quick: number
  /** Mean square of the estimate's moves between two looks, over fifteen minutes. */
  slow: number
  /** Averages of the signed impact of all orders seen. */
  readonly averages: number[]
  /** Exponentially decaying number of orders over half a minute. */
  recent: number
  seenAtMs: number
  /** The mean size of an order, in units. */
  meanSize: number
  /** Factor on the size of quotes. */
  grown: number
  changedAtMs: number
  readonly makers: MakerState[]
}

/** The state of one maker. */
export type MakerState = {
  /** The maker's own error in the estimate, in half widths. */
  noise: number
  /** The distance of the maker's quotes, as a multiple of the measured volatility. */
  width: number
  /** Whether a quote has filled since the maker last checked its quotes. */
  isHit: boolean
  /** The estimate around which the maker last placed its quotes. */
  anchor: number
  /** Fills whose gain is not known yet, summed over ten seconds each: signed units, their cost, and their volume. */
  readonly fills: { units: number; cost: number; volume: number }[]
  /** Exponentially decaying gain of the fills of the last hours. */
  gain: number
  /** Exponentially decaying volume of the fills of the last hours. */
  volume: number
}
