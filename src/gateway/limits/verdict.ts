import type { Policy, PolicyName } from '../../contract/limits.ts'
import type { WindowDecision } from './gcra.ts'

export type NamedPolicy = Policy & { readonly name: PolicyName }

/** The decision of a window for callers. Seconds are rounded up, so that a caller who waits that long is admitted. */
export type RateVerdict = {
  readonly allowed: boolean
  readonly policy: NamedPolicy
  readonly remaining: number
  readonly resetSeconds: number
  /** 0 when allowed, otherwise at least 1. */
  readonly retryAfterSeconds: number
}

/** Converts a decision to whole seconds. */
export function toRateVerdict(decision: WindowDecision, policy: NamedPolicy): RateVerdict {
  const { allowed, remaining, resetMs, retryAfterMs } = decision
  return {
    allowed,
    policy,
    remaining,
    resetSeconds: Math.ceil(resetMs / 1000),
    retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil(retryAfterMs / 1000)),
  }
}

/** The verdict of a policy that is off. `rateHeaders` has no headers for it. */
export function unlimited(name: PolicyName): RateVerdict {
  const without = Number.POSITIVE_INFINITY
  return {
    allowed: true,
    policy: { name, requests: without, seconds: 1, burst: without },
    remaining: without,
    resetSeconds: 0,
    retryAfterSeconds: 0,
  }
}

/**
 * The headers of a verdict, after draft-ietf-httpapi-ratelimit-headers-10: quota `q` in a window of `w` seconds, `r`
 * requests left now, `t` seconds until all are back. `retry-after` is present only after a refusal.
 */
export function rateHeaders(verdict: RateVerdict): Record<string, string> {
  const { allowed, policy, remaining, resetSeconds, retryAfterSeconds } = verdict
  if (!Number.isFinite(policy.requests)) return {}
  return {
    ...(!allowed && { 'retry-after': String(retryAfterSeconds) }),
    ratelimit: `"${policy.name}";r=${remaining};t=${resetSeconds}`,
    'ratelimit-policy': `"${policy.name}";q=${policy.requests};w=${policy.seconds}`,
  }
}
