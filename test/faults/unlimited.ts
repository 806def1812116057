import { POLICIES } from '../../src/contract/limits.ts'

/** Every rate limit off, for load from one address. */
export const UNLIMITED: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(POLICIES).map((name) => [`LIMIT_${name.toUpperCase()}`, 'off']),
)
