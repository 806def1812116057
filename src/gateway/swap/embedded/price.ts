import { formatDecimal, mulDiv } from '../../../core/decimals.ts'
import { Failure } from '../../../core/failure.ts'
import type { SwapFee, SwapStep, SwapToken } from '../provider.ts'
import { noRoute } from '../refusal.ts'
import { centsText } from '../text.ts'
import { WORLD_RATES, WORLD_TOKENS, type WorldToken } from './world.ts'

/** A token with its price at one time, in US dollars with eight decimals. */
export type Priced = {
  readonly token: SwapToken
  readonly base: string
  readonly price: bigint
  readonly poolUsd: number
}

type Conversion = {
  readonly toAmount: bigint
  readonly fees: readonly SwapFee[]
  readonly steps: readonly SwapStep[]
}

/** All values in this file are US dollars with eight decimals. */
const USD_DECIMALS = 8
const CENT = 10n ** BigInt(USD_DECIMALS - 2)
const DOLLAR = 10n ** BigInt(USD_DECIMALS)
const ALL_BPS = 10_000n

/** Reads the price of each base, in US dollars with eight decimals; null for a base without a market. */
export type ReadPrices = (
  bases: readonly string[],
  atMs: number,
) => Promise<readonly (bigint | null)[]>

const PRICED_BASES = [...new Set(WORLD_TOKENS.map((row) => row[5]))].filter(
  (base) => base !== 'USD',
)

/** The tokens that have a price at the given time. */
export async function tokensAt(pricesOf: ReadPrices, atMs: number): Promise<readonly Priced[]> {
  const found = await pricesOf(PRICED_BASES, atMs)
  const prices = new Map(PRICED_BASES.map((base, at) => [base, found[at] ?? 0n]))
  return WORLD_TOKENS.flatMap((row) => {
    const price = row[5] === 'USD' ? DOLLAR : (prices.get(row[5]) ?? 0n)
    return price <= 0n ? [] : [toPriced(row, price)]
  })
}

function toPriced(row: WorldToken, price: bigint): Priced {
  const [chainId, address, symbol, name, decimals, base, poolUsd] = row
  const priceUsd = formatDecimal(price, USD_DECIMALS)
  const lower = address.toLowerCase()
  const token = { chainId, address: lower, symbol, name, decimals, priceUsd, logo: '' }
  return { token, base, price, poolUsd }
}

/** The value of an amount. */
export function usdValue({ token, price }: Priced, amount: bigint): bigint {
  return mulDiv(amount, price, 10n ** BigInt(token.decimals), 'floor')
}

/** The amount of a token that a value buys, rounded down. */
export function amountFor({ token, price }: Priced, value: bigint): bigint {
  return mulDiv(value, 10n ** BigInt(token.decimals), price, 'floor')
}

/**
 * Converts an amount of one token into another, less service fee, pool fee, price impact and bridge fee. `via`: the
 * intermediate tokens. Throws Failure: amount_too_low, amount_too_high, or no_route with a reason.
 */
export function convert(
  from: Priced,
  to: Priced,
  fromAmount: bigint,
  via: readonly Priced[],
): Conversion {
  const value = usdValue(from, fromAmount)
  assertTakeable(from, to, value)
  const costs = conversionCosts(from, to, value)
  const left = value - costs.reduce((sum, { value }) => sum + value, 0n)
  const toAmount = amountFor(to, left)
  if (left <= 0n || toAmount === 0n) throw new Failure('amount_too_low', AMOUNT)
  return {
    toAmount,
    fees: costs.flatMap(({ type, value }) => (type ? [toFee(type, from, value)] : [])),
    steps: routeSteps([from, ...via, to], fromAmount, left),
  }
}

const AMOUNT = { parameter: 'fromAmount' } as const

function assertTakeable(from: Priced, to: Priced, value: bigint): void {
  if (value < WORLD_RATES.amountMinCents * CENT) throw new Failure('amount_too_low', AMOUNT)
  const poolUsd = Math.min(from.poolUsd, to.poolUsd)
  if (poolUsd === 0) throw noRoute('no_path')
  if (value > WORLD_RATES.amountMaxCents * CENT) throw new Failure('amount_too_high', AMOUNT)
  if (value > BigInt(poolUsd) * DOLLAR) throw noRoute('insufficient_liquidity')
}

type Cost = { readonly type: SwapFee['type'] | null; readonly value: bigint }

/** The deductions of a conversion. The price impact is deducted but is no fee. */
function conversionCosts(from: Priced, to: Priced, value: bigint): readonly Cost[] {
  const { serviceBps, poolBps, impactMaxBps, bridgeCents } = WORLD_RATES
  const costs: Cost[] = [{ type: 'service', value: bpsShare(value, serviceBps) }]
  if (from.token.chainId !== to.token.chainId) {
    costs.push({ type: 'relay', value: bridgeCents * CENT })
  }
  if (from.base !== to.base) {
    const pool = BigInt(Math.min(from.poolUsd, to.poolUsd)) * DOLLAR
    costs.push({ type: 'protocol', value: bpsShare(value, poolBps) })
    costs.push({ type: null, value: mulDiv(bpsShare(value, impactMaxBps), value, pool, 'ceil') })
  }
  return costs
}

function bpsShare(value: bigint, bps: bigint): bigint {
  return mulDiv(value, bps, ALL_BPS, 'ceil')
}

function toFee(type: SwapFee['type'], from: Priced, value: bigint): SwapFee {
  return {
    type,
    included: true,
    amount: amountFor(from, value),
    amountUsd: worldUsdText(value),
    token: from.token,
  }
}

/** A value as text in dollars and cents. */
export function worldUsdText(value: bigint): string {
  return centsText(mulDiv(value, 1n, CENT, 'half'))
}

/** The legs of a route. All costs are deducted in the first leg. */
function routeSteps(way: readonly Priced[], fromAmount: bigint, left: bigint): readonly SwapStep[] {
  return way.slice(1).map((next, at) => {
    const here = way[at] ?? next
    const isBridge = here.token.chainId !== next.token.chainId
    return {
      type: isBridge ? 'bridge' : 'swap',
      fromToken: here.token,
      toToken: next.token,
      fromAmount: at === 0 ? fromAmount : amountFor(here, left),
      toAmount: amountFor(next, left),
      durationSeconds: isBridge ? BRIDGE_SECONDS : SWAP_SECONDS,
    }
  })
}

const BRIDGE_SECONDS = 4
const SWAP_SECONDS = 2
