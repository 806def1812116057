import type { PolicyName } from '../../contract/limits.ts'
import { addressKey } from '../../core/client-address.ts'

/** The keys that windows of a policy have beside addresses. The group `address` is an address as windows count it. */
const OTHER_KEYS: Readonly<Partial<Record<PolicyName, readonly RegExp[]>>> = {
  read: [/^malformed:(?<address>.+)$/],
  account: accountKeys(),
  cancel: accountKeys(),
  admin: [/^operator$/],
}

/** Keys of accounts. An account alone stands for the window of its accepted keys. */
function accountKeys(): readonly RegExp[] {
  const account = '0x[0-9a-f]{64}'
  return [
    new RegExp(`^account:${account}$`),
    new RegExp(`^unproven:${account}:(?<address>.+)$`),
    new RegExp(`^unproven:${account}#(?:\\d|1[0-5])$`),
  ]
}

/**
 * The key of the window that a text names: an address as windows count it, an account, or a key as the list of windows
 * shows it. Null when no window of the policy can have it.
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
