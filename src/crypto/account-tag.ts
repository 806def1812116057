import { createHmac } from 'node:crypto'

const TAG_CHARS = 16

/** The name of an account in logs: the first 64 bits of its HMAC-SHA-256, in hex. Only who has the key can find the account. */
export function accountTag(key: Uint8Array, accountId: string): string {
  const mac = createHmac('sha256', key).update(accountId.toLowerCase())
  return mac.digest('hex').slice(0, TAG_CHARS)
}
