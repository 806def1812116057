import { HOUR_MS } from '../../../spec/durations.ts'
import { VAULT_RULES } from '../../engine/vaults/terms.ts'
import {
  isPending,
  mainPrice,
  mainWorth,
  navOf,
  periodAt,
  periodStartMs,
  pnlOf,
  sampleOf,
  sharesAt,
  strategyPrice,
  strategySharesOf,
  strategyWorth,
} from '../../engine/vaults/value.ts'
import type { PeriodRow, Role, Transaction, Vault } from '../../engine/vaults/vault.ts'
import { pageOf, queryText } from '../../wire/page.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../wire/row.ts'
import { amountOf, rateOf } from '../figures.ts'
import { DEFAULT_BROKER } from '../public/platform.ts'
import { vaultOf, walletOf } from './lookup.ts'
import type { VaultParts } from './parts.ts'

/** The fund that trades for a vault: it has one, and is the same whoever looks at it. */
export function fundRows({ floor, histories }: VaultParts): readonly VenueRow[] {
  /** The wallet says who asks: it is checked, and changes nothing. */
  const row = (name: string, answer: (vault: Vault, call: VenueCall) => unknown) =>
    publicRead(`/v1/public/strategy_vault/fund/${name}`, (call) => {
      walletOf(call.query)
      return answer(vaultOf(floor(), call.query), call)
    })
  return [
    row('info', (vault, { nowMs }) => fundInfo(vault, nowMs)),
    row('period_info', (vault, call) => periods(vault, histories(vault, call.nowMs).periods, call)),
    row('pending_transactions', pendingOf),
  ]
}

function fundInfo(vault: Vault, nowMs: number) {
  const { ledger, terms } = vault
  const now = sampleOf(vault, nowMs)
  const period = periodAt(ledger, nowMs)
  return {
    fund_nav: amountOf(now.nav),
    fund_lifetime_net_pnl: amountOf(pnlOf(now)),
    fund_total_strategy_shares: amountOf(strategySharesOf(ledger)),
    est_strategy_share_price: rateOf(strategyPrice(now)),
    broker_id: DEFAULT_BROKER,
    current_period_number: period,
    period_start_time: periodStartMs(ledger, period),
    period_end_time: periodStartMs(ledger, period + 1),
    period_duration: VAULT_RULES.periodMs / HOUR_MS,
    performance_fee_rate: rateOf(terms.feeRate),
  }
}

/** The period that runs with what waits for its end, and those before it, the latest first. */
function periods(vault: Vault, past: readonly PeriodRow[], { query, nowMs }: VenueCall) {
  const { ledger } = vault
  const period = periodAt(ledger, nowMs)
  const waiting = waitingIn(vault)
  const current: PeriodRow = {
    period,
    startMs: periodStartMs(ledger, period),
    endMs: periodStartMs(ledger, period + 1),
    deposited: waiting.lp.deposits + waiting.provider.deposits,
    withdrawn: waiting.withdrawn,
  }
  const number = queryText(query, 'period_number')
  const chosen = [current, ...past.toReversed()].filter(
    (row) => number === null || String(row.period) === number,
  )
  const { meta, rows } = pageOf(chosen, query)
  return {
    meta,
    rows: rows.map((row) => ({
      period_number: row.period,
      start_time: row.startMs,
      end_time: row.endMs,
      total_deposit_amount: amountOf(row.deposited),
      total_withdrawal_amount: amountOf(row.withdrawn),
    })),
  }
}

function pendingOf(vault: Vault) {
  const { lp, provider, withdrawn } = waitingIn(vault)
  const shares = sharesAt(vault.ledger, navOf(vault))
  const deposits = amountOf(lp.deposits + provider.deposits)
  return {
    // There is one fund, and all of a vault's money goes to it.
    est_fund_allocation_pct: 1,
    total_pending_deposit_amount: deposits,
    lp_pending_deposit_amount: amountOf(lp.deposits),
    sp_pending_deposit_amount: amountOf(provider.deposits),
    fund_pending_deposit_amount: deposits,
    fund_pending_withdrawal_amount: amountOf(withdrawn),
    total_pending_withdrawal_main_share: amountOf(lp.withdrawals),
    est_main_share_price: rateOf(mainPrice(shares)),
    total_pending_withdrawal_strategy_share: amountOf(provider.withdrawals),
    est_strategy_share_price: rateOf(strategyPrice(shares)),
  }
}

/** What waits for the end of the period: USDC to come in, shares to be given back, and what those are worth now. */
function waitingIn(vault: Vault) {
  const { ledger } = vault
  const shares = sharesAt(ledger, navOf(vault))
  const sum = (type: Transaction['type'], role: Role, figureOf: (each: Transaction) => number) =>
    ledger.open
      .filter((each) => isPending(each, type) && each.role === role)
      .reduce((total, each) => total + figureOf(each), 0)
  const ofRole = (role: Role) => ({
    deposits: sum('deposit', role, ({ amount }) => amount),
    withdrawals: sum('withdrawal', role, (each) => each.shares),
  })
  const [lp, provider] = [ofRole('lp'), ofRole('provider')]
  const withdrawn = mainWorth(shares, lp.withdrawals) + strategyWorth(shares, provider.withdrawals)
  return { lp, provider, withdrawn }
}
