import { DAY_MS, HOUR_MS } from '../../contract/durations.ts'
import { DECIMAL_ONE } from '../base/decimals.ts'
import { randomStream } from '../base/rng.ts'
import type { FundingState } from '../listing/feed.ts'
import type { Market } from '../listing/instruments.ts'
import { BUCKET_MS, createNoise, type Layer, type PricePath } from './path.ts'

/** One funding settlement with the sums up to it: rates, and USDC per unit with eight decimals. */
export type Settlement = {
  readonly atMs: number
  readonly rate: bigint
  readonly sumUnitary: bigint
  /**
   * Totals up to this settlement: the number of settlements, the sum of rates, and the numbers of positive and of
   * negative rates.
   */
  readonly count: number
  readonly sumRates: bigint
  readonly positives: number
  readonly negatives: number
}

/** Appends a settlement to the earlier settlements, with the sums up to it. */
export function addSettlement(
  settled: Settlement[],
  { rate, ...settlement }: Pick<Settlement, 'atMs' | 'rate' | 'sumUnitary'>,
): void {
  const before = settled.at(-1)
  settled.push({
    ...settlement,
    rate,
    count: settled.length + 1,
    sumRates: (before?.sumRates ?? 0n) + rate,
    positives: (before?.positives ?? 0) + (rate > 0n ? 1 : 0),
    negatives: (before?.negatives ?? 0) + (rate < 0n ? 1 : 0),
  })
}

/** The funding rates of one market. */
export type FundingRates = {
  readonly state: (atMs: number) => FundingState
  /** Every settlement from the funding epoch up to a time, oldest first. */
  readonly settlements: (atMs: number) => readonly Settlement[]
}

export type FundingRatesOptions = {
  readonly market: Market
  readonly seed: number
  readonly path: PricePath
  readonly epochMs: number
}

/** The rate for eight hours without a premium, with eight decimals. */
const INTEREST = 10_000
const ESTIMATE_EVERY_MS = 15_000

const RATE_LAYERS: readonly Layer[] = [
  { periodMs: DAY_MS, amplitude: 9_000 },
  { periodMs: 6 * DAY_MS, amplitude: 15_000 },
]
const WOBBLE_LAYERS: readonly Layer[] = [{ periodMs: 1_200_000, amplitude: 4_000 }]

/**
 * Creates the funding rates of a market. They settle at multiples of the market's period in UTC, and the estimate
 * approaches the next rate as its settlement comes closer. Each settlement is computed once, in order.
 */
export function createFundingRates({
  market,
  seed,
  path,
  epochMs,
}: FundingRatesOptions): FundingRates {
  const periodMs = market.fundingPeriodHours * HOUR_MS
  const scale = market.fundingPeriodHours / 8
  const leaning = createNoise(randomStream(seed, 'funding', market.symbol), RATE_LAYERS)
  const wobble = createNoise(randomStream(seed, 'estimate', market.symbol), WOBBLE_LAYERS)
  const firstAtMs = Math.ceil(epochMs / periodMs) * periodMs
  const settled: Settlement[] = []

  const rateAt = (atMs: number) => bounded(market, (INTEREST + leaning(atMs)) * scale)

  function settle(atMs: number): void {
    const rate = rateAt(atMs)
    const mark = BigInt(path.mark(Math.floor(atMs / BUCKET_MS))) * market.quoteTick
    const sumUnitary = (settled.at(-1)?.sumUnitary ?? 0n) + (mark * rate) / DECIMAL_ONE
    addSettlement(settled, { atMs, rate, sumUnitary })
  }

  /** The number of settlements up to a time. Computes the missing settlements. */
  function dueAt(atMs: number): number {
    const due = Math.max(0, Math.floor((atMs - firstAtMs) / periodMs) + 1)
    while (settled.length < due) settle(firstAtMs + settled.length * periodMs)
    return due
  }

  return {
    settlements: (atMs) => settled.slice(0, dueAt(atMs)),
    state: (atMs) => {
      const last = settled[dueAt(atMs) - 1]
      const lastAtMs = Math.floor(atMs / periodMs) * periodMs
      const nextAtMs = lastAtMs + periodMs
      const sampledAtMs = Math.floor(atMs / ESTIMATE_EVERY_MS) * ESTIMATE_EVERY_MS
      const remaining = (nextAtMs - sampledAtMs) / periodMs
      const leaningThen = Number(rateAt(nextAtMs)) + wobble(sampledAtMs) * scale * remaining
      return {
        estimatedRate: bounded(market, leaningThen),
        lastRate: last?.rate ?? rateAt(lastAtMs),
        lastAtMs,
        nextAtMs,
        sumUnitary: last?.sumUnitary ?? 0n,
      }
    },
  }
}

function bounded({ capFunding, floorFunding }: Market, rate: number): bigint {
  const whole = BigInt(Math.round(rate))
  if (whole > capFunding) return capFunding
  return whole < floorFunding ? floorFunding : whole
}
