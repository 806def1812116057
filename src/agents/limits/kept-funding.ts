import { createBoundedMap } from '../../core/bounded-map.ts'
import { FUNDING_AGE_MAX_MS } from '../../perp/limit-figures.ts'
import { ClientFailure } from '../client/client.ts'
import type { FundingTotals, SignedContext } from '../tool.ts'

const ACCOUNTS_MAX = 10_000

export function createFundingTotals(): FundingTotals {
  return createBoundedMap(ACCOUNTS_MAX)
}

/** Returns the funding of 24 hours, by the venue's time, as an amount; null if unknown. Rejects with the error of `read`. */
export type FundingRead = (
  context: SignedContext,
  nowMs: number,
  read: () => Promise<bigint | null>,
) => Promise<bigint | null>

/** Returns the cached total. Reads the total again if the cached total is too old. */
export const cachedFunding: FundingRead = async (context, nowMs, read) =>
  recentTotal(context, nowMs) ?? (await readTotal(context, nowMs, read))

/**
 * Reads the funding at each call, because the relay's loss limit counts only the funding it has relayed. Returns the
 * cached total of the last minute only if the read was rate-limited.
 */
export const relayedFunding: FundingRead = async (context, nowMs, read) => {
  try {
    return await readTotal(context, nowMs, read)
  } catch (error) {
    const kept = recentTotal(context, nowMs)
    const isTooFrequent = error instanceof ClientFailure && error.code === 'rate_limited'
    if (kept === null || !isTooFrequent) throw error
    return kept
  }
}

function recentTotal(context: SignedContext, nowMs: number): bigint | null {
  const kept = context.fundingTotals.get(callerId(context))
  return kept && Math.abs(nowMs - kept.atMs) < FUNDING_AGE_MAX_MS ? kept.total : null
}

async function readTotal(
  context: SignedContext,
  nowMs: number,
  read: () => Promise<bigint | null>,
): Promise<bigint | null> {
  const total = await read()
  if (total !== null) context.fundingTotals.put(callerId(context), { atMs: nowMs, total })
  return total
}

function callerId({ credentials: { accountId, key } }: SignedContext): string {
  return `${accountId.toLowerCase()} ${key}`
}
