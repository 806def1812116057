import { DAY_MS } from '../../contract/durations.ts'
import { keccakOfText } from '../../core/crypto/keccak.ts'
import { type RandomStream, randomAt, randomStream, waveAt } from '../base/rng.ts'
import { MICRO, RATE_ONE, safeMulDiv } from '../base/units.ts'
import { CHAINS } from '../listing/chains.ts'
import type { RequestToVault } from '../state/world.ts'
import { agentKey } from '../traders/population.ts'
import { VAULT_RULES, VAULT_TERMS, type VaultTerms } from './terms.ts'

/** Amounts are micro-USDC, shares are micro-shares, and share prices have eight decimals. */

export type Role = RequestToVault['role']

/** A strategy vault. All of it follows from the seed. */
export type Vault = {
  readonly number: number
  readonly id: string
  readonly terms: VaultTerms
  readonly seed: number
  /** The random streams of the waves that the vault's value follows. */
  readonly waves: readonly RandomStream[]
  readonly startedAtMs: number
  /**
   * The first deposits of the vault's provider and of its public liquidity providers. The provider's deposit comes
   * first.
   */
  readonly deposits: readonly RequestToVault[]
}

/** The chains from which vaults accept USDC. */
export const HOME_CHAINS = CHAINS.filter(({ contracts }) => contracts['USDC'] !== undefined)

/** The periods of the waves that a vault's value follows, in days. */
const WAVES_DAYS = [30, 7, 1, 1 / 8]

/** The vaults of a world. */
export function worldVaults(world: {
  readonly seed: number
  readonly beginsAtMs: number
}): Vault[] {
  const { seed, beginsAtMs } = world
  const firstDayMs = Math.floor(beginsAtMs / DAY_MS) * DAY_MS
  return VAULT_TERMS.map((terms, number) => {
    const startedAtMs = firstDayMs - terms.days * DAY_MS
    return {
      ...{ number, terms, seed, startedAtMs, id: keccakOfText(`${seed}/vault/${terms.name}`) },
      waves: WAVES_DAYS.map((length) => randomStream(seed, 'vault', terms.name, String(length))),
      deposits: Array.from({ length: terms.investors + 1 }, (_, at) => ({
        ...firstDeposit(seed, terms, at),
        atMs: startedAtMs,
      })),
    }
  })
}

/** A first deposit. Public liquidity providers have the addresses of agents with positions in its markets. */
function firstDeposit(seed: number, terms: VaultTerms, at: number) {
  const { name, bases, investors, investorsUsdc, providerUsdc } = terms
  const holder = at - 1
  const path = `holder/PERP_${bases[holder % bases.length]}_USDC/${Math.floor(holder / bases.length)}`
  const key = at === 0 ? keccakOfText(`${seed}/vault/${name}/provider/0`) : agentKey(seed, path)
  const usual =
    (investorsUsdc / investors) * (0.5 + randomAt(randomStream(seed, 'vault', name), at))
  return {
    ...({ type: 'deposit', role: at === 0 ? 'provider' : 'lp' } as const),
    ...{ account: null, broker: null, nonce: null },
    wallet: `0x${key.slice(-40)}`,
    chainId: String(HOME_CHAINS[at % HOME_CHAINS.length]?.id ?? 0),
    size: Math.floor((at === 0 ? providerUsdc : usual) * MICRO),
  }
}

/** The number of the period that contains a time. */
export function periodAt({ startedAtMs }: Pick<Vault, 'startedAtMs'>, atMs: number): number {
  return Math.floor((atMs - startedAtMs) / VAULT_RULES.periodMs)
}

export function periodStartMs({ startedAtMs }: Pick<Vault, 'startedAtMs'>, period: number): number {
  return startedAtMs + period * VAULT_RULES.periodMs
}

/** The price of a strategy share at a time: a trend with waves around it. It is 1 at the start. */
function strategyPriceAt({ waves, terms, startedAtMs }: Vault, atMs: number): number {
  const days = (atMs - startedAtMs) / DAY_MS
  let swing = 0
  for (const [at, length] of WAVES_DAYS.entries()) {
    const source = waves[at] ?? 0
    swing += Math.sqrt(length) * (waveAt(source, days / length) - waveAt(source, 0))
  }
  const { dailyReturn, dailyVolatility } = terms
  return Math.round(RATE_ONE * Math.exp(dailyReturn * days + dailyVolatility * swing))
}

/** The share prices at the start of a period. */
export type Prices = {
  readonly strategy: number
  readonly main: number
  /** The highest price of a main share up to which fees have been charged. */
  readonly highWater: number
  /** The performance fee per main share for the previous period. */
  readonly feePerShare: number
}

/** The prices at the start of each period up to a time. Requests do not change these prices. */
export function pricesUntil(vault: Vault, nowMs: number): Prices[] {
  let last: Prices = { strategy: RATE_ONE, main: RATE_ONE, highWater: RATE_ONE, feePerShare: 0 }
  const prices = [last]
  for (let period = 1; periodStartMs(vault, period) <= nowMs; period += 1) {
    const { strategy, main: gross } = pricesSince(vault, last, periodStartMs(vault, period))
    const gain = Math.max(0, gross - last.highWater)
    const feePerShare = safeMulDiv(gain, vault.terms.feeRate, RATE_ONE, 'floor')
    const main = gross - feePerShare
    last = { strategy, main, feePerShare, highWater: Math.max(main, last.highWater) }
    prices.push(last)
  }
  return prices
}

/** The prices within a period, before its fee is charged. */
export function pricesSince(vault: Vault, { strategy, main }: Prices, atMs: number) {
  const now = strategyPriceAt(vault, atMs)
  return { strategy: now, main: safeMulDiv(main, now, strategy, 'floor') }
}
