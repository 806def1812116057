import { createBoundedMap } from '../../core/bounded-map.ts'
import { FUNDING_AGE_MAX_MS } from '../../perp/limit-figures.ts'
import type { FundingTotals, SignedContext } from '../tool.ts'

const ACCOUNTS_MAX = 10_000

export function createFundingTotals(): FundingTotals {
  return createBoundedMap(ACCOUNTS_MAX)
}

/** The funding of 24 hours; a total that is too old is read again. Rejects with the error of `read`. */
export async function keptFunding(
  { fundingTotals, credentials: { accountId, key } }: SignedContext,
  nowMs: number,
  read: () => Promise<bigint | null>,
): Promise<bigint | null> {
  const id = `${accountId.toLowerCase()} ${key}`
  const kept = fundingTotals.get(id)
  if (kept && Math.abs(nowMs - kept.atMs) < FUNDING_AGE_MAX_MS) return kept.total
  const total = await read()
  if (total !== null) fundingTotals.put(id, { atMs: nowMs, total })
  return total
}
