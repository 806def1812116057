import { Failure } from '../core/failure.ts'
import type { Reply } from '../core/reply.ts'
import { ScrubError, type ScrubPolicy } from '../core/scrub.ts'
import type { Deps } from './deps.ts'

/**
 * Scrubs what a read answered. Text that cannot be scrubbed is an unusable answer: upstream_unavailable. For reads
 * alone: a write whose answer cannot be scrubbed has happened all the same.
 */
export function scrubRead(deps: Pick<Deps, 'scrub'>, text: string, policy: ScrubPolicy): Reply {
  try {
    return deps.scrub.text(text, policy)
  } catch (error) {
    if (error instanceof ScrubError)
      throw new Failure('upstream_unavailable', undefined, { cause: error })
    throw error
  }
}
