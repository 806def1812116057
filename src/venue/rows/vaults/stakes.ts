import { mulDiv, ONE } from '../../engine/units.ts'
import { VAULT_RULES } from '../../engine/vaults/terms.ts'
import {
  availableOf,
  idleOf,
  isClaimable,
  isOwn,
  navOf,
  pnlOf,
  type Shares,
  sharesAt,
  stakeOf,
  stakeWorth,
} from '../../engine/vaults/value.ts'
import { newStake, type Role, type Vault } from '../../engine/vaults/vault.ts'
import { pageOf, periodOf, queryText, requiredQuery } from '../../wire/page.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../wire/row.ts'
import { amountOf, rateOf } from '../figures.ts'
import { feesOf } from './holdings.ts'
import { vaultOf, walletOf } from './lookup.ts'
import type { VaultParts } from './parts.ts'
import { transactionPage } from './transactions.ts'

const PATHS = { lp: '/v1/public/strategy_vault/lp', provider: '/v1/public/strategy_vault/sp' }

/** What wallets have in vaults, as liquidity providers and as those who trade for them. */
export function stakeRows(parts: VaultParts): readonly VenueRow[] {
  const { floor } = parts
  const both = (name: string, answer: (role: Role, call: VenueCall) => unknown) =>
    (['lp', 'provider'] as const).map((role) =>
      publicRead(`${PATHS[role]}/${name}`, (call) => answer(role, call)),
    )
  return [
    publicRead(`${PATHS.lp}/info`, ({ query, nowMs }) => {
      const all = floor().engine.world.vaults
      const chosen = queryText(query, 'vault_id') === null ? all : [vaultOf(floor(), query)]
      return { rows: chosen.flatMap((vault) => lpRow(vault, walletOf(query), nowMs)) }
    }),
    publicRead(`${PATHS.provider}/info`, ({ query, nowMs }) =>
      providerInfo(vaultOf(floor(), query), walletOf(query), nowMs),
    ),
    ...both('transaction_history', (role, call) => transactionPage(parts, role, call)),
    ...both('claim_info', (role, { query }) => claimInfo(vaultOf(floor(), query), role, query)),
    ...both('fees_history', (role, call) => fees(parts, role, call)).map((row) => ({
      ...row,
      envelope: 'data_and_meta' as const,
    })),
  ]
}

/** No row for a wallet that has nothing in the vault. */
function lpRow(vault: Vault, wallet: string, nowMs: number) {
  const { ledger } = vault
  const stake = ledger.stakes.get(wallet) ?? newStake(wallet)
  const idle = idleOf(ledger, { role: 'lp', wallet })
  if (stake.paidIn === 0 && idle === 0) return []
  const nav = stakeWorth(sharesAt(ledger, navOf(vault)), 'lp', stake)
  return [
    {
      vault_id: vault.id,
      lp_nav: amountOf(nav),
      lp_tvl: amountOf(nav + idle),
      total_main_shares: amountOf(stake.shares),
      available_main_shares: amountOf(availableOf(ledger, 'lp', stake, nowMs)),
      potential_pnl: amountOf(nav - stake.basis),
      total_performance_fees: amountOf(stake.fees),
    },
  ]
}

/** Zeros for a wallet that is not the vault's provider. */
function providerInfo(vault: Vault, wallet: string, nowMs: number) {
  const { ledger } = vault
  const shares: Shares = sharesAt(ledger, navOf(vault))
  const known = stakeOf(ledger, 'provider', wallet)
  const stake = known ?? newStake(wallet)
  const nav = stakeWorth(shares, 'provider', stake)
  const part = stake.shares === 0 ? 0 : mulDiv(stake.shares, ONE, shares.strategyShares, 'floor')
  return {
    sp_nav: amountOf(nav),
    sp_tvl: amountOf(nav + idleOf(ledger, { role: 'provider', wallet })),
    sp_total_strategy_shares: amountOf(stake.shares),
    sp_strategy_shares_pct: rateOf(part),
    available_strategy_shares: amountOf(availableOf(ledger, 'provider', stake, nowMs)),
    sp_lifetime_net_pnl: amountOf(pnlOf({ ...stake, nav })),
    potential_pnl: amountOf(nav - stake.basis),
    sp_reserved_collateral: amountOf(
      known ? mulDiv(shares.nav, VAULT_RULES.providerSharesMin, ONE, 'ceil') : 0,
    ),
    sp_min_shares_pct: rateOf(VAULT_RULES.providerSharesMin),
    total_performance_fees: amountOf(stake.fees),
  }
}

function claimInfo({ ledger }: Vault, role: Role, query: URLSearchParams) {
  const [wallet, chainId] = [walletOf(query), requiredQuery(query, 'chain_id')]
  const chosen = ledger.open.filter(
    (each) => isClaimable(each) && isOwn(each, { role, wallet }) && each.chainId === chainId,
  )
  return { claimable_amount: amountOf(chosen.reduce((sum, { amount }) => sum + amount, 0)) }
}

function fees({ floor, histories }: VaultParts, role: Role, { query, nowMs }: VenueCall) {
  const isWithin = periodOf(query)
  const history = histories(vaultOf(floor(), query), nowMs)
  const chosen = feesOf(history, role, walletOf(query)).filter(({ fee }) => isWithin(fee.atMs))
  const { meta, rows } = pageOf(chosen.reverse(), query)
  return {
    meta,
    data: {
      rows: rows.map(({ fee, shares, amount }) => ({
        created_time: fee.atMs,
        period_number: fee.period,
        type: 'performance_fee',
        shares_change: amountOf(shares),
        amount_change: amountOf(amount),
      })),
    },
  }
}
