import { createHash, timingSafeEqual } from 'node:crypto'
import { Failure } from '../../core/failure.ts'

/**
 * Which of the operator's keys an Authorization header bears: there are two while one takes over from the other. Throws
 * unauthorized unless it bears one.
 */
export function bornKey(authorization: string | null, operatorKeys: readonly string[]): string {
  const given = digest(authorization ?? '')
  // Digests have one length, so comparing them tells nothing about a key; all are compared, so the time tells nothing.
  const [born] = operatorKeys.filter((key) => timingSafeEqual(given, digest(`Bearer ${key}`)))
  if (born === undefined) throw new Failure('unauthorized')
  return born
}

/** What an audit may say of a key: the first 16 hex characters of its SHA-256. */
export function fingerprintOf(operatorKey: string): string {
  return digest(operatorKey).toString('hex').slice(0, 16)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
