import { createHash, timingSafeEqual } from 'node:crypto'
import { Failure } from '../../core/failure.ts'

/** Throws unauthorized unless an Authorization header bears the operator's key. */
export function assertOperator(authorization: string | null, operatorKey: string): void {
  // Digests have one length, so comparing them tells nothing about the key.
  const bears = timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${operatorKey}`))
  if (!bears) throw new Failure('unauthorized')
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
