import type { PolicyName } from '../../contract/limits.ts'
import { Failure } from '../../core/failure.ts'
import type { Store } from '../../core/ports.ts'
import { assertNotBlocked, type RateWindows } from './limiter.ts'
import type { RateVerdict } from './verdict.ts'

/** The refusal of a request by a rate limit. The answer states the time of the next attempt from `verdict`. */
export class RateLimited extends Failure {
  readonly verdict: RateVerdict
  constructor(verdict: RateVerdict) {
    super('rate_limited', { retryAfterSeconds: verdict.retryAfterSeconds })
    this.verdict = verdict
  }
}

/** The windows to which reads are charged. Only this process counts them. */
export type ReadWindows = Pick<RateWindows, 'charge' | 'isBlocked'>
export type ChargeableWindows = ReadWindows & Pick<RateWindows, 'take'>

/**
 * Charges one request to a window that all instances share. Throws RateLimited if the window is full, and forbidden for
 * a blocked caller. A policy that is off admits every other caller.
 */
export async function admit(
  limiter: ChargeableWindows,
  policy: PolicyName,
  key: string,
): Promise<RateVerdict> {
  assertNotBlocked(limiter, key)
  return requireAdmitted(await limiter.take(policy, key))
}

/** A limiter that returns no verdict for admitted requests. */
export type QuickReadWindows = Pick<RateWindows, 'refusal' | 'isBlocked'>

/** Admits as `admitRead` does, without a verdict for an admitted caller. */
export function admitQuickly(limiter: QuickReadWindows, key: string): void {
  assertNotBlocked(limiter, key)
  const refusal = limiter.refusal('read', key)
  if (refusal) throw new RateLimited(refusal)
}

/** Charges one request as `admit` does, but synchronously and only in this process. */
export function admitRead(limiter: ReadWindows, key: string): RateVerdict {
  assertNotBlocked(limiter, key)
  return requireAdmitted(limiter.charge('read', key))
}

function requireAdmitted(verdict: RateVerdict): RateVerdict {
  if (!verdict.allowed) throw new RateLimited(verdict)
  return verdict
}

/**
 * Charges a signed call. A pair of account and key that the venue has accepted is charged to the account's own window.
 * All other calls are charged to shared windows, because anyone can name a victim's account.
 */
export async function admitAccount(
  limiter: ChargeableWindows,
  proofs: Pick<Store['proofs'], 'has'>,
  policy: 'account' | 'cancel',
  signed: { readonly accountId: string; readonly key: string },
  address: string,
): Promise<{ readonly proven: boolean }> {
  const account = signed.accountId.toLowerCase()
  assertNotBlocked(limiter, account)
  if (await proofs.has(account, signed.key)) {
    await admit(limiter, policy, `account:${account}`)
    return { proven: true }
  }
  await admit(limiter, policy, `unproven:${account}:${address}`)
  await admit(limiter, policy, `unproven:${account}#${shareNumber(address)}`)
  return { proven: false }
}

/** An account has a cap of unproven calls. One address can use only one of this number of shares of the cap. */
const UNPROVEN_CAP_SHARES = 16

function shareNumber(address: string): number {
  return Bun.hash.crc32(address) % UNPROVEN_CAP_SHARES
}
