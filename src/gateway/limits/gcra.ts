import type { Policy } from '../../contract/limits.ts'

/**
 * The decision about one request. `atMs` is the window's new state (the theoretical arrival time); a refusal leaves it
 * unchanged.
 */
export type WindowDecision = {
  readonly allowed: boolean
  readonly atMs: number
  /** Requests that may still be sent at once. */
  readonly remaining: number
  /** 0 if allowed, otherwise the wait after which the same request would pass. */
  readonly retryAfterMs: number
  /** The wait until the whole burst is available again. */
  readonly resetMs: number
}

/**
 * Decides one request by the generic cell rate algorithm (ITU-T I.371): `burst` at once, then one per `seconds /
 * requests`. `atMs` is the state after the last allowed request; undefined for a new key. The debt is capped at a full
 * burst, unless `isShared`: other instances may have admitted more.
 */
export function decide(
  atMs: number | undefined,
  nowMs: number,
  policy: Policy,
  isShared = false,
): WindowDecision {
  const debt = owedDebt(atMs, nowMs, policy, isShared)
  const after = debt + requestCost(policy)
  if (after <= burstCapacity(policy)) return decision(true, after, nowMs, policy)
  return decision(false, debt, nowMs, policy)
}

/** The new `atMs` of a window if `decide` admits the request; null if it refuses. */
export function admittedAtMs(
  atMs: number,
  nowMs: number,
  policy: Policy,
  isShared: boolean,
): number | null {
  const after = owedDebt(atMs, nowMs, policy, isShared) + requestCost(policy)
  return after <= burstCapacity(policy) ? nowMs + after / policy.requests : null
}

/** The decision of a window without a charge. */
export function unchargedDecision(
  atMs: number | undefined,
  nowMs: number,
  policy: Policy,
  isShared: boolean,
): WindowDecision {
  const debt = owedDebt(atMs, nowMs, policy, isShared)
  return decision(debt + requestCost(policy) <= burstCapacity(policy), debt, nowMs, policy)
}

/** The decision for a window with this debt, in units of 1/requests of a millisecond. */
export function decision(
  allowed: boolean,
  debt: number,
  nowMs: number,
  policy: Policy,
): WindowDecision {
  const room = burstCapacity(policy) - debt
  return {
    allowed,
    atMs: nowMs + debt / policy.requests,
    remaining: Math.max(0, Math.floor(room / requestCost(policy))),
    retryAfterMs: allowed ? 0 : Math.ceil((requestCost(policy) - room) / policy.requests),
    resetMs: Math.ceil(debt / policy.requests),
  }
}

/**
 * The debt of a window, in units of 1/requests of a millisecond. In this unit each request costs a whole number.
 * Rounding removes the error of the float `atMs`. A debt above a full burst means that the clock went back or the
 * policy shrank; it counts as a full burst.
 */
function owedDebt(
  atMs: number | undefined,
  nowMs: number,
  policy: Policy,
  isShared: boolean,
): number {
  if (atMs === undefined || atMs <= nowMs) return 0
  const debt = Math.round((atMs - nowMs) * policy.requests)
  return isShared ? debt : Math.min(debt, burstCapacity(policy))
}

/** The cost of one request, in units of 1/requests of a millisecond. */
export function requestCost({ seconds }: Policy): number {
  return seconds * 1000
}

function burstCapacity(policy: Policy): number {
  return policy.burst * requestCost(policy)
}
