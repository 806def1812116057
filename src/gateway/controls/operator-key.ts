import { createHash, timingSafeEqual } from 'node:crypto'

/** The operator key that an Authorization header bears, or null: there are two while one takes over from the other. */
export function matchingKey(
  authorization: string | null,
  operatorKeys: readonly string[],
): string | null {
  const given = digest(authorization ?? '')
  // Digests have one length, so comparing them tells nothing about a key; all are compared, so the time tells nothing.
  const [match] = operatorKeys.filter((key) => timingSafeEqual(given, digest(`Bearer ${key}`)))
  return match ?? null
}

/** What an audit may say of a key: the first 16 hex characters of its SHA-256. */
export function fingerprintOf(operatorKey: string): string {
  return digest(operatorKey).toString('hex').slice(0, 16)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
