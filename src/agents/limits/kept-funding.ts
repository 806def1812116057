import { type BoundedMap, createBoundedMap } from '../../core/bounded-map.ts'
import { FUNDING_AGE_MAX_MS } from '../../perp/limit-figures.ts'
import type { SignedContext } from '../tool.ts'

/** The funding of 24 hours by account and key, as an amount, with the venue's time of its read. */
export type FundingTotals = BoundedMap<string, { readonly atMs: number; readonly total: bigint }>

const ACCOUNTS_MAX = 10_000

export function createFundingTotals(): FundingTotals {
  return createBoundedMap(ACCOUNTS_MAX)
}

/** The funding of 24 hours; it is read again once what was read is too old. Rejects with what `read` throws. */
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
