import { keccakOfText } from '../../crypto/keccak.ts'
import { DAY_MS } from '../../spec/durations.ts'
import { draw, type Stream, stream } from '../base/rng.ts'
import { mulDiv, ONE } from '../base/units.ts'
import { CHAINS } from '../listing/chains.ts'
import { keyOf } from '../traders/population.ts'
import type { Request, Role } from './request.ts'
import { VAULT_RULES, VAULT_TERMS, type VaultTerms } from './terms.ts'

/** Amounts are micro-USDC, shares micro-shares, prices of shares have eight decimals. */

/** A public wallet with a stake in a vault. */
export type Investor = {
  readonly wallet: string
  readonly role: Role
  readonly chainId: string
  readonly source: Stream
}

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

/** The vaults of a world. */
export function vaultsOf(world: { readonly seed: number; readonly beginsAtMs: number }): Vault[] {
  const { seed, beginsAtMs } = world
  const firstDayMs = Math.floor(beginsAtMs / DAY_MS) * DAY_MS
  return VAULT_TERMS.map((terms, number) => ({
    number,
    id: keccakOfText(`${seed}/vault/${terms.name}`),
    terms,
    seed,
    streams: streamsOf(seed, terms),
    startedAtMs: firstDayMs - terms.days * DAY_MS,
    investors: Array.from({ length: terms.investors + 1 }, (_, at) => investorOf(seed, terms, at)),
  }))
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

/** A request with its outcome: times are zero and the unknown figure is zero until then. */
export type Transaction = Request & {
  readonly id: number
  shares: number
  amount: number
  executedAtMs: number
  claimedAtMs: number
}

/** The number of the period that contains a time. */
export function periodAt({ startedAtMs }: Pick<Vault, 'startedAtMs'>, atMs: number): number {
  return Math.floor((atMs - startedAtMs) / VAULT_RULES.periodMs)
}

export function periodStartMs({ startedAtMs }: Pick<Vault, 'startedAtMs'>, period: number): number {
  return startedAtMs + period * VAULT_RULES.periodMs
}

function streamsOf(seed: number, { name }: VaultTerms): Vault['streams'] {
  const ofVault = (part: string) => stream(seed, 'vault', name, part)
  const waves = WAVES_DAYS.map((length) => ofVault(String(length)))
  return { waves, volume: ofVault('volume'), claims: ofVault('claim') }
}

/** The lengths of the waves that a vault's value follows, in days. */
const WAVES_DAYS = [30, 7, 1, 1 / 8]

/** The price of a strategy share at a time: a trend with waves around it; one at the start. */
export function strategyPriceAt({ streams, terms, startedAtMs }: Vault, atMs: number): number {
  const days = (atMs - startedAtMs) / DAY_MS
  let swing = 0
  for (const [at, length] of WAVES_DAYS.entries()) {
    const source = streams.waves[at] ?? 0
    swing += Math.sqrt(length) * (waveAt(source, days / length) - waveAt(source, 0))
  }
  const { dailyReturn, dailyVolatility } = terms
  return Math.round(ONE * Math.exp(dailyReturn * days + dailyVolatility * swing))
}

/** A wave between -1 and 1: straight from one random height to the next, at each whole position. */
export function waveAt(source: number, position: number): number {
  const from = Math.floor(position)
  const heightAt = (at: number) => 2 * draw(source, at) - 1
  return heightAt(from) + (heightAt(from + 1) - heightAt(from)) * (position - from)
}

export function isPending({ executedAtMs }: Transaction): boolean {
  return executedAtMs === 0
}

/** Whether the shares of a deposit cannot be given back yet. */
export function isLocked({ type, executedAtMs }: Transaction, atMs: number): boolean {
  return type === 'deposit' && executedAtMs > 0 && atMs < executedAtMs + VAULT_RULES.lockMs
}

/** The shares of a stake that can be given back: those that are neither locked, nor asked for already, nor to be kept. */
export function availableOf(
  open: readonly Transaction[],
  of: Pick<Request, 'role' | 'wallet'>,
  shares: number,
  atMs: number,
  strategyShares = 0,
): number {
  let bound = 0
  for (const each of open)
    if (each.wallet === of.wallet && each.role === of.role)
      if (isLocked(each, atMs) || (isPending(each) && each.type === 'withdrawal'))
        bound += each.shares
  const kept = mulDiv(strategyShares, VAULT_RULES.providerSharesMin, ONE, 'ceil')
  return Math.max(0, Math.min(shares - bound, shares - kept))
}
