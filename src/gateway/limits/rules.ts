import type { Policy, PolicyName } from '../../contract/limits.ts'
import { Failure } from '../../core/failure.ts'

/** The operator's rules for single callers, evaluated on each request. */
export type LimitRules = {
  /** Whether a caller is blocked. */
  readonly isBlocked: (key: string) => boolean
  /** The limit that replaces a key's policy; null: no limit, undefined: the policy applies. */
  readonly ownPolicy: (policy: PolicyName, key: string) => Policy | null | undefined
}

/** Throws Failure forbidden for a caller, wallet or account that the operator has blocked. */
export function assertNotBlocked({ isBlocked }: Pick<LimitRules, 'isBlocked'>, key: string): void {
  if (isBlocked(key)) throw new Failure('forbidden', { reason: 'blocked' })
}

export const NO_RULES: LimitRules = { isBlocked: () => false, ownPolicy: () => undefined }
