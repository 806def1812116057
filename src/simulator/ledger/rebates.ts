import { DAY_MS } from '../../contract/durations.ts'
import { openDayRow } from '../base/bounded-list.ts'
import { RATE_ONE, safeMulDiv } from '../base/units.ts'
import { accountAt } from '../state/accounts.ts'
import type { ExchangeState, Rebate, RebateDay } from '../state/exchange.ts'
import type { Account, RebateShare } from '../state/state.ts'

type Fill = { readonly fee: number; readonly notional: number; readonly atMs: number }

/** Accrues the rebates of a fee. Until a rebate is paid, its amount stays in `totals.fees`. */
export function accrueRebates(exchange: ExchangeState, account: Account, fill: Fill): void {
  for (const share of account.shares) accrue(openRebate(exchange, account, share), share, fill)
}

/** Pays the accrued rebates out of the fees. Called at the end of each UTC day. */
export function payRebates(exchange: ExchangeState): void {
  for (const rebate of exchange.rebates.values()) {
    const due = rebate.total - rebate.paid
    if (due === 0) continue
    accountAt(exchange, rebate.to).holding += due
    exchange.totals.fees -= due
    rebate.paid = rebate.total
  }
}

function openRebate(
  { rebates }: ExchangeState,
  { number: from }: Account,
  { to, level }: RebateShare,
): Rebate {
  const key = `${from}:${to}`
  const known = rebates.get(key)
  if (known) return known
  const rebate: Rebate = { from, to, level, total: 0, paid: 0, days: [] }
  rebates.set(key, rebate)
  return rebate
}

function accrue(rebate: Rebate, { rate }: RebateShare, { fee, notional, atMs }: Fill): void {
  const today = openDayRow(rebate.days, Math.floor(atMs / DAY_MS), newDay)
  const amount = Math.max(0, safeMulDiv(fee, rate, RATE_ONE, 'floor'))
  today.volume += notional
  today.fees += fee
  today.amount += amount
  rebate.total += amount
}

function newDay(day: number): RebateDay {
  return { day, volume: 0, fees: 0, amount: 0 }
}
