import { createHmac } from 'node:crypto'

const TAG_CHARS = 16

/**
 * The tag of an account in logs: the first 64 bits of its HMAC-SHA-256, in hex. Only the key's holder can match it to
 * an account.
 */
export function accountTag(key: Uint8Array, accountId: string): string {
  return tagOfText(key, accountId.toLowerCase())
}

/** Whether a text has the form of an account tag. */
export function isAccountTag(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text)
}

/** An identifier of the key that made a log's account tags. It shows which key belongs to a log. */
export function logKeyName(key: Uint8Array): string {
  return tagOfText(key, 'key of account tags')
}

function tagOfText(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex').slice(0, TAG_CHARS)
}
