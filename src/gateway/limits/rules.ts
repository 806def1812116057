import type { Policy, PolicyName } from '../../contract/limits.ts'
import { Failure } from '../../core/failure.ts'

/** The operator's rules for single callers, which are read with each request. */
export type LimitRules = {
  /** Whether every request of a caller is refused. */
  readonly isBlocked: (key: string) => boolean
  /** The limit of one key in place of its policy: null means no limit, undefined means the policy's own. */
  readonly ownPolicy: (policy: PolicyName, key: string) => Policy | null | undefined
}

/** Throws Failure forbidden for a caller, wallet or account that the operator has blocked. */
export function assertNotBlocked({ isBlocked }: Pick<LimitRules, 'isBlocked'>, key: string): void {
  if (isBlocked(key)) throw new Failure('forbidden', { reason: 'blocked' })
}

export const NO_RULES: LimitRules = { isBlocked: () => false, ownPolicy: () => undefined }
