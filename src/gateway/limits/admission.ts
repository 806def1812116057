import type { PolicyName } from '../../contract/limits.ts'
import { Failure } from '../../core/failure.ts'
import type { Store } from '../../core/ports.ts'
import { assertNotBlocked } from './rules.ts'
import type { Verdict } from './verdict.ts'
import type { Windows } from './windows.ts'

/** A refusal that carries its verdict, so that the answer can say when to come back. */
export class RateLimited extends Failure {
  readonly verdict: Verdict
  constructor(verdict: Verdict) {
    super('rate_limited', { retryAfterSeconds: verdict.retryAfterSeconds })
    this.verdict = verdict
  }
}

/** The windows that requests are charged to; those of reads need not be asked elsewhere. */
export type ReadCharging = Pick<Windows, 'charge' | 'isBlocked'>
export type Charging = ReadCharging & Pick<Windows, 'take'>

/**
 * Charges one request to a window, of which all instances have the same. Throws RateLimited when it is full, and
 * forbidden for a caller whom the operator has blocked; a policy that is off admits everyone else.
 */
export async function admit(limiter: Charging, policy: PolicyName, key: string): Promise<Verdict> {
  assertNotBlocked(limiter, key)
  return admitted(await limiter.take(policy, key))
}

/** A limiter as those who never read a verdict ask it. */
export type QuickCharging = Pick<Windows, 'refusal' | 'isBlocked'>

/** The same as `admitRead`, with nothing to say about who is admitted. */
export function admitQuickly(limiter: QuickCharging, key: string): void {
  assertNotBlocked(limiter, key)
  const refusal = limiter.refusal('read', key)
  if (refusal) throw new RateLimited(refusal)
}

/** The same of a read, which is decided at once, in this process. */
export function admitRead(limiter: ReadCharging, key: string): Verdict {
  assertNotBlocked(limiter, key)
  return admitted(limiter.charge('read', key))
}

function admitted(verdict: Verdict): Verdict {
  if (!verdict.allowed) throw new RateLimited(verdict)
  return verdict
}

/**
 * Charges a signed call to its account. Anyone can name a victim's account, so a pair of account and key that the
 * venue has accepted uses the account's own window, and everybody else shares windows that cannot exhaust it.
 */
export async function admitAccount(
  limiter: Charging,
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
  await admit(limiter, policy, `unproven:${account}#${shareOf(address)}`)
  return { proven: false }
}

/** How many shares the account-wide cap of unproven calls has, so that one address cannot use it up alone. */
const SHARES = 16

function shareOf(address: string): number {
  return Bun.hash.crc32(address) % SHARES
}
