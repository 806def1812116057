import {
  idleOf,
  navOf,
  pnlOf,
  sampleOf,
  sharesAt,
  stakeOf,
  stakeWorth,
} from '../../engine/vaults/value.ts'
import type { Role, Stake, Vault } from '../../engine/vaults/vault.ts'
import { publicRead, type VenueRow } from '../../wire/row.ts'
import { amountOf } from '../figures.ts'
import { investorsOf } from './info.ts'
import { walletOf } from './lookup.ts'
import type { VaultParts } from './parts.ts'

/** What all vaults come to together, for everybody and for one wallet. */
export function totalRows({ floor }: VaultParts): readonly VenueRow[] {
  const all = () => floor().engine.world.vaults
  return [
    publicRead('/v1/public/strategy_vault/vault/overall_info', ({ nowMs }) => ({
      rows: [overall(all(), nowMs)],
    })),
    publicRead('/v1/public/strategy_vault/user/overall_info', ({ query }) => ({
      rows: [ofWallet(all(), walletOf(query))],
    })),
  ]
}

function overall(all: readonly Vault[], nowMs: number) {
  const sum = (figureOf: (vault: Vault) => number) =>
    all.reduce((total, vault) => total + figureOf(vault), 0)
  return {
    strategy_vaults_tvl: amountOf(sum((vault) => navOf(vault) + vault.escrow.holding)),
    strategy_vaults_lifetime_net_pnl: amountOf(sum((vault) => pnlOf(sampleOf(vault, nowMs)))),
    strategy_vaults_count: all.length,
    strategy_vaults_lp_count: sum(investorsOf),
  }
}

function ofWallet(all: readonly Vault[], wallet: string) {
  const [lp, provider] = [totalsOf(all, 'lp', wallet), totalsOf(all, 'provider', wallet)]
  return {
    total_vaults_tvl: amountOf(lp.tvl + provider.tvl),
    vaults_lp_tvl: amountOf(lp.tvl),
    vaults_sp_tvl: amountOf(provider.tvl),
    total_vaults_lifetime_net_pnl: amountOf(lp.pnl + provider.pnl),
    vaults_lp_lifetime_net_pnl: amountOf(lp.pnl),
    vaults_sp_lifetime_net_pnl: amountOf(provider.pnl),
    total_involved_vaults_count: lp.count + provider.count,
    involved_lp_vaults_count: lp.count,
    involved_sp_vaults_count: provider.count,
  }
}

function totalsOf(all: readonly Vault[], role: Role, wallet: string) {
  const totals = { tvl: 0, pnl: 0, count: 0 }
  for (const vault of all) {
    const stake = stakeOf(vault.ledger, role, wallet)
    const own = stake ? stakeFigures(vault, role, stake) : { nav: 0, pnl: 0 }
    const tvl = own.nav + idleOf(vault.ledger, { role, wallet })
    totals.tvl += tvl
    totals.pnl += own.pnl
    if (tvl > 0 || (stake && role === 'provider')) totals.count += 1
  }
  return totals
}

function stakeFigures(vault: Vault, role: Role, stake: Stake) {
  const nav = stakeWorth(sharesAt(vault.ledger, navOf(vault)), role, stake)
  return { nav, pnl: pnlOf({ ...stake, nav }) }
}
