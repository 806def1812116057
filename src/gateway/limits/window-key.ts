import type { PolicyName } from '../../contract/limits.ts'
import { addressKey } from '../../core/client-address.ts'

/**
 * Patterns of window keys that are not plain addresses. The group `address` is a caller's address in the form used for
 * limits.
 */
const OTHER_KEYS: Readonly<Partial<Record<PolicyName, readonly RegExp[]>>> = {
  read: [/^malformed:(?<address>.+)$/],
  account: accountKeys(),
  cancel: accountKeys(),
  admin: [/^operator$/],
}

/** Patterns for account windows. The window of keys that the venue has accepted has the plain account id as its key. */
function accountKeys(): readonly RegExp[] {
  const account = '0x[0-9a-f]{64}'
  return [
    new RegExp(`^account:${account}$`),
    new RegExp(`^unproven:${account}:(?<address>.+)$`),
    new RegExp(`^unproven:${account}#(?:\\d|1[0-5])$`),
  ]
}

/**
 * Parses a window key from an operator's text: an address, an account, or a key as the list of windows shows it. Null
 * if no window of the policy can have that key.
 */
export function parseWindowKey(policy: PolicyName, text: string): string | null {
  const address = policy === 'account' ? null : addressKey(text)
  if (address !== null) return address
  const lower = text.toLowerCase()
  const key = /^0x[0-9a-f]{64}$/.test(lower) ? `account:${lower}` : lower
  const found = OTHER_KEYS[policy]?.map((shape) => shape.exec(key)).find((each) => each !== null)
  if (!found) return null
  const named = found.groups?.['address']
  if (named === undefined) return key
  const counted = addressKey(named)
  return counted && key.slice(0, -named.length) + counted
}
