import { isPolicyName, type PolicyName } from '../contract/limits.ts'
import { invalidParameter } from '../core/failure.ts'
import type { Gateway } from './gateway.ts'
import { parseWindowKey } from './limits/window-key.ts'

/** The window that a request names, by its counted key or by the exact key of a limit that the operator set. */
export function requestedWindow(
  { controls }: Gateway,
  field: (name: string) => string,
): readonly [policy: PolicyName, key: string] {
  const [policy, key] = [requirePolicy(field('policy')), field('key')]
  const counted = ownLimit(controls, policy, key) ? key : parseWindowKey(policy, key)
  return [policy, counted ?? key]
}

function ownLimit(controls: Gateway['controls'], policy: PolicyName, key: string) {
  return controls.shown().limits.find((row) => row.policy === policy && row.key === key)
}

/** A window with its limit and the remaining requests. */
export async function showLimit(
  { limiter, controls }: Gateway,
  policy: PolicyName,
  key: string,
): Promise<object> {
  const { policy: limit, ...verdict } = await limiter.show(policy, key)
  const { requests, seconds, burst } = limit
  const isOff = !Number.isFinite(requests)
  return {
    policy,
    key,
    limit: isOff ? 'off' : `${requests}/${seconds}s burst ${burst}`,
    isOwn: ownLimit(controls, policy, key) !== undefined,
    ...(!isOff && verdict),
  }
}

/** The policy of a name. Throws invalid_request for an unknown name. */
export function requirePolicy(text: string): PolicyName {
  if (isPolicyName(text)) return text
  throw invalidParameter('policy')
}
