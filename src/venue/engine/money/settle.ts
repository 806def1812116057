import { type Exchange, nextId } from '../exchange.ts'
import { refresh } from '../margin/margin.ts'
import type { Settled, SettledPart } from '../observer.ts'
import type { Account, Exposure } from '../state.ts'
import type { Settling } from './move.ts'

/**
 * Turns the results of an account's cross positions into balance, at the mark of now: cost and balance grow by the same,
 * so its margin stays as it is. Who has the other side pays or gets it at once, those first with the largest opposite
 * results. Isolated positions are settled when they are closed.
 */
export function settlePnl(
  exchange: Exchange,
  account: Account,
  { id, atMs: requestedAtMs }: Pick<Settling, 'id' | 'atMs'>,
  atMs: number,
): void {
  const own = account.used.filter(isUnsettled)
  const others = own.flatMap(othersOf)
  settleOne(exchange, account, own, { id, requestedAtMs, atMs })
  for (const [other, exposures] of Map.groupBy(others, (exposure) => exposure.account))
    settleOne(exchange, other, exposures, { id: nextId(exchange), requestedAtMs, atMs })
}

function settleOne(
  exchange: Exchange,
  account: Account,
  exposures: readonly Exposure[],
  request: Pick<Settled, 'id' | 'requestedAtMs' | 'atMs'>,
): void {
  const before = account.holding
  const parts = exposures.map((exposure) => book(exchange, exposure, request.atMs))
  const settled = { ...request, account, before, after: account.holding, parts }
  for (const { settled: publish } of exchange.observers) publish?.(settled)
}

function book({ sequence }: Exchange, exposure: Exposure, atMs: number): SettledPart {
  const { market, account, pnl: amount } = exposure
  account.holding += amount
  exposure.cost += amount
  exposure.accruedFunding = 0
  exposure.settlePrice = exposure.quantity === 0 ? 0 : market.mark * market.spec.tick
  exposure.updatedAtMs = atMs
  exposure.sequence = sequence
  exposure.stamp = -1
  return { market, amount }
}

/** The largest opposite results in the same market, as many as it takes. */
function othersOf({ market, account, pnl }: Exposure): Exposure[] {
  const opposite = [...market.holders]
    .filter((other) => other.account !== account && isUnsettled(other) && other.pnl < 0 === pnl > 0)
    .sort((a, b) => Math.abs(b.pnl) - Math.abs(a.pnl) || a.account.number - b.account.number)
  let left = Math.abs(pnl)
  return opposite.filter((other) => {
    if (left <= 0) return false
    left -= Math.abs(other.pnl)
    return true
  })
}

function isUnsettled(exposure: Exposure): boolean {
  if (exposure.stamp !== exposure.market.stamp) refresh(exposure)
  return !exposure.isolated && exposure.pnl !== 0
}
