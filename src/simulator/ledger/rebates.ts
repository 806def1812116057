import { DAY_MS } from '../../contract/durations.ts'
import { dayOf } from '../base/bounded-list.ts'
import { mulDiv, ONE } from '../base/units.ts'
import { accountAt } from '../state/accounts.ts'
import type { Exchange, Rebate, RebateDay } from '../state/exchange.ts'
import type { Account, RebateShare } from '../state/state.ts'

type Fill = { readonly fee: number; readonly notional: number; readonly atMs: number }

/** Accrues the rebates of a fee, which stay in the fees until they are paid. */
export function accrueRebates(exchange: Exchange, account: Account, fill: Fill): void {
  for (const share of account.shares) accrue(rebateOf(exchange, account, share), share, fill)
}

/** Pays the accrued rebates out of the fees at the end of every UTC day. */
export function payRebates(exchange: Exchange): void {
  for (const rebate of exchange.rebates.values()) {
    const due = rebate.total - rebate.paid
    if (due === 0) continue
    accountAt(exchange, rebate.to).holding += due
    exchange.totals.fees -= due
    rebate.paid = rebate.total
  }
}

function rebateOf(
  { rebates }: Exchange,
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
  const today = dayOf(rebate.days, Math.floor(atMs / DAY_MS), newDay)
  const amount = Math.max(0, mulDiv(fee, rate, ONE, 'floor'))
  today.volume += notional
  today.fees += fee
  today.amount += amount
  rebate.total += amount
}

function newDay(day: number): RebateDay {
  return { day, volume: 0, fees: 0, amount: 0 }
}
