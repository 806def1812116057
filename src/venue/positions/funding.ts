import { HOUR_MS } from '../../spec/durations.ts'
import { remember } from '../exchange/journal.ts'
import { EXCHANGE_LIMITS } from '../exchange/limits.ts'
import { type Account, type Exchange, nextId, type Position } from '../exchange/state.ts'
import { worthOf } from '../units.ts'

/**
 * Charges a position every funding settlement since the last one it paid, each into `cost` and the account's history,
 * rounded up against the trader. Who is flat pays nothing. The outcome does not depend on how often this is called,
 * unless more settlements are due than are charged one by one.
 */
export function chargeFunding(
  exchange: Exchange,
  account: Account,
  position: Position,
  nowMs: number,
): void {
  if (position.quantity === 0n) startFunding(exchange, position, nowMs)
  for (const atMs of settlementsDue(exchange, position, nowMs))
    chargeSettlement(exchange, account, position, atMs)
}

/** Charges every position of an account. */
export function chargeAccount(exchange: Exchange, account: Account, nowMs: number): void {
  for (const position of account.positions.values())
    if (exchange.feed.instruments.has(position.symbol))
      chargeFunding(exchange, account, position, nowMs)
}

/** The charge on a signed quantity for a change of the funding sum; positive is paid. */
export function fundingCost(quantity: bigint, sumChange: bigint): bigint {
  return worthOf(quantity, sumChange, 'ceil')
}

function startFunding({ feed }: Exchange, position: Position, nowMs: number): void {
  position.lastSumUnitary = feed.funding(position.symbol, nowMs).sumUnitary
  position.fundedAtMs = nowMs
}

function settlementsDue({ feed }: Exchange, position: Position, nowMs: number): number[] {
  const hours = feed.instruments.get(position.symbol)?.fundingPeriodHours ?? 1
  const periodMs = hours * HOUR_MS
  const last = Math.floor(nowMs / periodMs)
  const due = Math.min(
    last - Math.floor(position.fundedAtMs / periodMs),
    EXCHANGE_LIMITS.settlementsMax,
  )
  return Array.from({ length: Math.max(0, due) }, (_, at) => (last - due + 1 + at) * periodMs)
}

function chargeSettlement(
  exchange: Exchange,
  account: Account,
  position: Position,
  atMs: number,
): void {
  const { feed, journal } = exchange
  const { accountId, symbol } = position
  const { sumUnitary, lastRate } = feed.funding(symbol, atMs)
  const fee = fundingCost(position.quantity, sumUnitary - position.lastSumUnitary)
  position.cost += fee
  position.accruedFunding += fee
  if (position.life) position.life = { ...position.life, funding: position.life.funding + fee }
  position.lastSumUnitary = sumUnitary
  position.fundedAtMs = atMs
  const mark = feed.mark(symbol, atMs)
  const charge = { id: nextId(exchange), accountId, symbol, rate: lastRate, mark, fee, atMs }
  remember(journal, 'funding', account.fundings, charge)
  journal.put('position', `${accountId}:${symbol}`, position)
}
