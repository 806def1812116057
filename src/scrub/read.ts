import { Failure } from '../core/failure.ts'
import type { Reply } from './reply.ts'
import { type Scrub, ScrubError, type ScrubPolicy } from './scrub.ts'

/**
 * Scrubs what a read answered. Text that cannot be scrubbed is an unusable answer: upstream_unavailable. For reads
 * alone: a write whose answer cannot be scrubbed has happened all the same.
 */
export function scrubRead(scrub: Pick<Scrub, 'text'>, text: string, policy: ScrubPolicy): Reply {
  try {
    return scrub.text(text, policy)
  } catch (error) {
    if (error instanceof ScrubError)
      throw new Failure('upstream_unavailable', undefined, { cause: error })
    throw error
  }
}
