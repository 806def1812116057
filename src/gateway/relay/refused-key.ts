import type { keyScope } from '../../contract/allowlist.ts'
import { Failure } from '../../core/failure.ts'

type KeyScope = ReturnType<typeof keyScope>

/**
 * Whether the venue no longer accepts a key that it had accepted. A key that lacks a scope is still the account's key. The venue's
 * general sentence names both causes: only a read, for which every key has the scope, shows which it is.
 */
export function refusesKey(error: unknown, scope: KeyScope): boolean {
  if (!isUnauthorized(error)) return false
  const reason = error.meta?.reason
  return reason !== 'scope' && (reason !== 'credentials' || scope === 'read')
}

/** A refusal of the credentials with the scope that the call needs, where its lack may be the cause. */
export function withScope(error: unknown, scope: KeyScope): unknown {
  if (!isUnauthorized(error) || scope === 'read') return error
  const reason = error.meta?.reason
  if (reason !== 'scope' && reason !== 'credentials') return error
  return new Failure(error.code, { ...error.meta, expected: `scope ${scope}` }, { cause: error })
}

export function isUnauthorized(error: unknown): error is Failure {
  return error instanceof Failure && error.code === 'unauthorized'
}
