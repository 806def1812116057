import { MICRO, RATE_ONE } from '../base/units.ts'
import { impactPrice } from '../book/depth.ts'
import type { ExchangeState } from '../state/exchange.ts'
import type { FundingSettlement } from '../state/observer.ts'
import { BUY, SELL } from '../state/state.ts'
import type { MirroredFunding, Scene } from '../state/world.ts'
import { chargeFunding } from './charge.ts'

const EIGHT_HOURS_MS = 28_800_000
/** The interest rate for eight hours. Interest minus premium is limited to ±INTEREST_BOUND. */
const INTEREST = 0.0001
const INTEREST_BOUND = 0.0004
const IMPACT_USDC_AT_FULL_LEVERAGE = 1000

/** Called every 15 seconds. Adds the book's premium over the index, for an order with 1,000 USDC of margin. */
export function samplePremium(scene: Scene): void {
  const { market, index } = scene
  const { spec } = market
  const usdc = IMPACT_USDC_AT_FULL_LEVERAGE * (RATE_ONE / spec.baseImr)
  const value = (usdc * MICRO) / spec.unit
  const bid = impactPrice(market, BUY, value) ?? 0
  const ask = impactPrice(market, SELL, value) ?? Number.POSITIVE_INFINITY
  scene.premiumSum += (Math.max(0, bid - index) - Math.max(0, index - ask)) / index
  scene.premiums += 1
}

/** The funding rate if the period ended now, with eight decimals. If a tape has rates, the recorded rate is taken. */
export function estimatedRate({ market, premiumSum, premiums, recordedRate }: Scene): number {
  if (recordedRate !== null) return recordedRate
  const { fundingPeriodMs, fundingCap } = market.spec
  const average = premiums === 0 ? 0 : premiumSum / premiums
  const interest = clamp(INTEREST - average, -INTEREST_BOUND, INTEREST_BOUND)
  const rate = steepened(average) + interest / (EIGHT_HOURS_MS / fundingPeriodMs)
  return clamp(Math.round(rate * RATE_ONE), -fundingCap, fundingCap)
}

/** Settles a funding period at its estimated rate, and begins the next period. */
export function settleFunding(
  exchange: ExchangeState,
  scene: Scene,
  atMs: number,
): FundingSettlement {
  const { market } = scene
  const rate = estimatedRate(scene)
  scene.lastRate = rate
  scene.lastFundedAtMs = atMs
  scene.nextFundingAtMs = atMs + market.spec.fundingPeriodMs
  scene.premiumSum = 0
  scene.premiums = 0
  if (scene.mirrored) beginPeriod(scene, scene.mirrored)
  const charges = chargeFunding(exchange, market, rate)
  return { market, atMs, rate, mark: market.mark, charges }
}

/** Begins a period of a mirrored market. If the live market has not published a rate, the rate is 0. */
function beginPeriod(scene: Scene, mirrored: MirroredFunding): void {
  const { later } = mirrored
  scene.recordedRate = later?.rate ?? 0
  mirrored.later = null
  if (later && later.nextMs > scene.lastFundedAtMs) scene.nextFundingAtMs = later.nextMs
}

/** The part of a premium above 0.5 % counts twice, the part above 1.5 % four times. */
function steepened(premium: number): number {
  const size = Math.abs(premium)
  const sign = Math.sign(premium)
  if (size < 0.005) return premium
  if (size < 0.015) return sign * (0.005 + 2 * (size - 0.005))
  return sign * (0.025 + 4 * (size - 0.015))
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value))
}
