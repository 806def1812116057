import { keccakOfText } from '../../crypto/keccak.ts'
import { DAY_MS } from '../../spec/durations.ts'
import { draw, type Stream, stream, waveAt } from '../base/rng.ts'
import { MICRO, mulDiv, ONE } from '../base/units.ts'
import { CHAINS } from '../listing/chains.ts'
import type { RequestToVault } from '../state/world.ts'
import { keyOf } from '../traders/population.ts'
import { VAULT_RULES, VAULT_TERMS, type VaultTerms } from './terms.ts'

/** Amounts are micro-USDC, shares micro-shares, prices of shares have eight decimals. */

export type Request = RequestToVault
export type Role = Request['role']

/** A public wallet with a stake in a vault. */
type Investor = Pick<Request, 'wallet' | 'role' | 'chainId'> & { readonly source: Stream }

/** A strategy vault. Everything but callers' requests is a pure function of seed and time. */
export type Vault = {
  readonly number: number
  readonly id: string
  readonly terms: VaultTerms
  readonly seed: number
  /** The random numbers of its waves, of its volume and of claims. */
  readonly streams: {
    readonly waves: readonly Stream[]
    readonly volume: Stream
    readonly claims: Stream
  }
  readonly startedAtMs: number
  /** The provider first. */
  readonly investors: readonly Investor[]
}

/** The chains on which vaults take USDC. */
export const HOME_CHAINS = CHAINS.filter(({ contracts }) => contracts['USDC'] !== undefined)

/** The lengths of the waves that a vault's value follows, in days. */
const WAVES_DAYS = [30, 7, 1, 1 / 8]

/** The vaults of a world. */
export function vaultsOf(world: { readonly seed: number; readonly beginsAtMs: number }): Vault[] {
  const { seed, beginsAtMs } = world
  const firstDayMs = Math.floor(beginsAtMs / DAY_MS) * DAY_MS
  return VAULT_TERMS.map((terms, number) => {
    const of = (part: string) => stream(seed, 'vault', terms.name, part)
    const waves = WAVES_DAYS.map((length) => of(String(length)))
    return {
      ...{ number, terms, seed, id: keccakOfText(`${seed}/vault/${terms.name}`) },
      streams: { waves, volume: of('volume'), claims: of('claim') },
      startedAtMs: firstDayMs - terms.days * DAY_MS,
      investors: Array.from({ length: terms.investors + 1 }, (_, at) =>
        investorOf(seed, terms, at),
      ),
    }
  })
}

/** Liquidity providers are public addresses: those of the holders of a position in the vault's markets. */
function investorOf(seed: number, { name, bases }: VaultTerms, at: number): Investor {
  const holder = at - 1
  const path = `holder/PERP_${bases[holder % bases.length]}_USDC/${Math.floor(holder / bases.length)}`
  const key = at === 0 ? keccakOfText(`${seed}/vault/${name}/provider/0`) : keyOf(seed, path)
  const chain =
    HOME_CHAINS[Math.floor(draw(stream(seed, 'vault', name, 'chain'), at) * HOME_CHAINS.length)]
  return {
    wallet: `0x${key.slice(-40)}`,
    role: at === 0 ? 'provider' : 'lp',
    chainId: String(chain?.id ?? 0),
    source: stream(seed, 'vault', name, 'investor', String(at)),
  }
}

/** The number of the period that contains a time. */
export function periodAt({ startedAtMs }: Pick<Vault, 'startedAtMs'>, atMs: number): number {
  return Math.floor((atMs - startedAtMs) / VAULT_RULES.periodMs)
}

export function periodStartMs({ startedAtMs }: Pick<Vault, 'startedAtMs'>, period: number): number {
  return startedAtMs + period * VAULT_RULES.periodMs
}

/** The price of a strategy share at a time: a trend with waves around it; one at the start. */
function strategyPriceAt({ streams, terms, startedAtMs }: Vault, atMs: number): number {
  const days = (atMs - startedAtMs) / DAY_MS
  let swing = 0
  for (const [at, length] of WAVES_DAYS.entries()) {
    const source = streams.waves[at] ?? 0
    swing += Math.sqrt(length) * (waveAt(source, days / length) - waveAt(source, 0))
  }
  const { dailyReturn, dailyVolatility } = terms
  return Math.round(ONE * Math.exp(dailyReturn * days + dailyVolatility * swing))
}

/** The prices of shares as a period begins. */
export type Prices = {
  readonly strategy: number
  readonly main: number
  /** The best price of a main share that fees were charged up to. */
  readonly highWater: number
  /** The performance fee that the period before has cost each main share. */
  readonly feePerShare: number
}

/** The prices at the beginning of each period until a time. Requests do not change them. */
export function pricesUntil(vault: Vault, nowMs: number): Prices[] {
  let last: Prices = { strategy: ONE, main: ONE, highWater: ONE, feePerShare: 0 }
  const prices = [last]
  for (let period = 1; periodStartMs(vault, period) <= nowMs; period += 1) {
    const { strategy, main: gross } = pricesSince(vault, last, periodStartMs(vault, period))
    const gain = Math.max(0, gross - last.highWater)
    const feePerShare = mulDiv(gain, vault.terms.feeRate, ONE, 'floor')
    const main = gross - feePerShare
    last = { strategy, main, feePerShare, highWater: Math.max(main, last.highWater) }
    prices.push(last)
  }
  return prices
}

/** The prices in a period, its fee not charged yet. */
export function pricesSince(vault: Vault, { strategy, main }: Prices, atMs: number) {
  const now = strategyPriceAt(vault, atMs)
  return { strategy: now, main: mulDiv(main, now, strategy, 'floor') }
}

/** How often, in days, a public liquidity provider brings more, up to which part of its first deposit, and takes it back. */
const EXTRA = { days: 30, part: 0.4 } as const

/** The requests of public investors: a first deposit, and later deposits and withdrawals of liquidity providers. */
export function publicRequests(vault: Vault, prices: readonly Prices[]): Request[] {
  const { terms, investors } = vault
  return investors.flatMap(({ source, ...owner }) => {
    const next = (which: number) => draw(source, which)
    const ask = (type: Request['type'], day: number, size: number): Request => ({
      ...{ ...owner, type, size: Math.floor(size), account: null, broker: null, nonce: null },
      atMs: periodStartMs(vault, day) + Math.floor(next(3 * day) * VAULT_RULES.periodMs),
    })
    if (owner.role === 'provider') return ask('deposit', 0, terms.providerUsdc * MICRO)
    const first = (terms.investorsUsdc / terms.investors) * MICRO * (0.5 + next(1))
    const requests = [ask('deposit', 0, first)]
    for (let day = EXTRA.days; day < prices.length; day += EXTRA.days) {
      const half = EXTRA.days / 2
      const from = day + Math.floor((half - 5) * next(3 * day + 1))
      const size = Math.floor(first * EXTRA.part * (0.1 + 0.9 * next(3 * day + 2)))
      requests.push(ask('deposit', from, size))
      const price = prices[from + 1]?.main
      if (price) requests.push(ask('withdrawal', from + half, mulDiv(size, ONE, price, 'floor')))
    }
    return requests
  })
}
