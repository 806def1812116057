import { DAY_MS, HOUR_MS } from '../../../spec/durations.ts'
import { ONE } from '../../engine/units.ts'
import { HOME_CHAINS } from '../../engine/vaults/investors.ts'
import { VAULT_RULES } from '../../engine/vaults/terms.ts'
import { mainPrice, pnlOf, takesDeposits } from '../../engine/vaults/value.ts'
import type { Vault } from '../../engine/vaults/vault.ts'
import { NO_VAULT } from '../../market/chains.ts'
import { queryText } from '../../wire/page.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../wire/row.ts'
import { amountOf, rateOf } from '../figures.ts'
import { DEFAULT_BROKER } from '../public/platform.ts'
import { type History, pointsOf } from './history.ts'
import { nonceAt } from './nonces.ts'
import type { VaultParts } from './parts.ts'

/** What vaults there are, and the nonce for a request to one. */
export function infoRows(parts: VaultParts): readonly VenueRow[] {
  const { floor } = parts
  return [
    publicRead('/v1/public/sv_nonce', ({ nowMs }) => ({
      nonce: nonceAt(floor().engine.world.vaults, nowMs),
    })),
    publicRead('/v1/public/strategy_vault/vault/info', (call) => vaults(parts, call)),
  ]
}

function vaults({ floor, histories }: VaultParts, { query, nowMs }: VenueCall) {
  const [id, status] = [queryText(query, 'vault_id')?.toLowerCase(), queryText(query, 'status')]
  const chosen = floor().engine.world.vaults.filter(
    (vault) =>
      (id === undefined || vault.id === id) && (status === null || status === statusOf(vault)),
  )
  // Every builder may offer every vault here, whichever asks.
  const [broker = DEFAULT_BROKER] = queryText(query, 'broker_ids')?.split(',') ?? []
  return {
    rows: chosen.map((vault) => ({
      ...identityOf(vault, nowMs),
      ...worthOf(histories(vault, nowMs)),
      broker_id: broker,
    })),
  }
}

function statusOf(vault: Vault): 'live' | 'closing' {
  return takesDeposits(vault) ? 'live' : 'closing'
}

function identityOf(vault: Vault, nowMs: number) {
  const { id, terms, ledger } = vault
  return {
    vault_id: id,
    vault_address: NO_VAULT,
    vault_type: terms.kind,
    vault_name: terms.title,
    description: terms.description,
    sp_address: ledger.provider.wallet,
    sp_name: terms.provider,
    asset: 'USDC',
    vault_age: Math.floor((nowMs - ledger.startedAtMs) / DAY_MS),
    status: statusOf(vault),
    vault_start_time: ledger.startedAtMs,
    performance_fee_rate: rateOf(terms.feeRate),
    supported_chains: HOME_CHAINS.map(({ id: chain, name }) => ({
      chain_id: String(chain),
      chain_name: name,
    })),
    lock_duration: VAULT_RULES.lockMs / HOUR_MS,
    min_deposit_amount: amountOf(VAULT_RULES.depositMin),
    min_withdrawal_amount: amountOf(VAULT_RULES.withdrawalMin),
    gate_threshold_pct: rateOf(VAULT_RULES.gate),
    gate_triggered: ledger.isGated,
  }
}

function worthOf(history: History) {
  const { vault, now } = history
  const { ledger } = vault
  const days = pointsOf(history, false)
  const recent = days.filter(({ atMs }) => atMs >= now.atMs - MONTH_MS)
  const price = mainPrice(now)
  const lowest = recent.reduce((low, point) => (point.price < low.price ? point : low), {
    price,
    atMs: now.atMs,
  })
  const isUnderWater = price < ledger.highWater
  return {
    tvl: amountOf(now.nav + now.idle),
    valid_hpr: Math.max(0, recent.length - 1),
    '30d_apy': yearly(recent[0], now.atMs, price),
    recovery_30d_apy: isUnderWater ? yearly(lowest, now.atMs, price) : 0,
    vault_lifetime_net_pnl: amountOf(pnlOf(now)),
    lp_counts: investorsOf(vault),
    total_main_shares: amountOf(now.mainShares),
    est_main_share_price: rateOf(price),
    lifetime_apy: yearly({ price: ONE, atMs: ledger.startedAtMs }, now.atMs, price),
  }
}

const MONTH_MS = 30 * DAY_MS
const YEAR_MS = 365 * DAY_MS
/** No yearly rate is told beyond a thousandfold. */
const APY_MAX = 1000

type Then = { readonly price: number; readonly atMs: number } | undefined

/** What a price has grown by since then, as if it did so for a year; six decimals. */
function yearly(then: Then, atMs: number, price: number): number {
  if (!then || then.price === 0 || atMs - then.atMs < DAY_MS) return 0
  const rate = (price / then.price) ** (YEAR_MS / (atMs - then.atMs)) - 1
  return Math.round(Math.min(APY_MAX, rate) * 1_000_000) / 1_000_000
}

export function investorsOf({ ledger }: Vault): number {
  return [...ledger.stakes.values()].filter(({ shares }) => shares > 0).length
}
