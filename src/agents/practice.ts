import { VENUE_HEADER, VENUE_TIME_HEADER } from '../contract/headers.ts'
import { isPracticeKind } from '../contract/venue/kind.ts'
import { isObject } from '../core/json.ts'
import type { Clock } from '../core/ports.ts'
import type { ServiceTransport } from './client/client.ts'
import { withMeta } from './refusal.ts'
import { type ToolContext, ToolFailure } from './tool.ts'

/** Marks every result that may have moved money on a practice venue. */
const PRACTICE_NOTICE = 'Practice venue: no real money moved.'

type Watched = Pick<ToolContext, 'isPractice' | 'venueClock'> & {
  readonly transport: ServiceTransport
}

/**
 * Wraps a transport to remember whether its last answer came from a practice venue, and the venue's time in that
 * answer.
 */
export function watchedVenue(transport: ServiceTransport, clock: Clock, known: boolean): Watched {
  let isPractice = known
  let virtualMs: number | null = null
  return {
    isPractice: () => isPractice,
    venueClock: { nowMs: () => virtualMs ?? clock.nowMs() },
    transport: async (request) => {
      const response = await transport(request)
      isPractice = isPracticeKind(response.headers.get(VENUE_HEADER))
      virtualMs = Number(response.headers.get(VENUE_TIME_HEADER)) || null
      return response
    },
  }
}

/** Runs a write, and marks its result or unknown outcome if a practice venue answered. */
export async function runPracticeMarked(
  { isPractice }: ToolContext,
  run: () => Promise<unknown>,
): Promise<unknown> {
  try {
    const result = await run()
    return isPractice() && isObject(result) ? { practice: PRACTICE_NOTICE, ...result } : result
  } catch (error) {
    if (!isPractice() || !(error instanceof ToolFailure) || error.code !== 'outcome_unknown')
      throw error
    throw withMeta(error, { practice: PRACTICE_NOTICE })
  }
}
