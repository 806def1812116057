import type { Transport } from '../client/client.ts'
import { isObject } from '../core/json.ts'
import { withMeta } from './refusal.ts'
import { type ToolContext, ToolFailure } from './tool.ts'

/** Marks every result that may have moved money on a practice venue. */
const PRACTICE = 'Practice venue: no real money moved.'

/** The header with which a service on the embedded venue marks its answers. */
const VENUE_HEADER = 'x-prepd-venue'

type Watched = Pick<ToolContext, 'isPractice'> & { readonly transport: Transport }

/** The same transport, and whether the last answer that came through it was a practice venue's. */
export function watchedVenue(transport: Transport, known = false): Watched {
  let isPractice = known
  return {
    isPractice: () => isPractice,
    transport: async (request) => {
      const response = await transport(request)
      isPractice = response.headers.get(VENUE_HEADER) === 'embedded'
      return response
    },
  }
}

/** Runs a write and marks its result, or its unknown outcome, where a practice venue answered. */
export async function practiceMarked(
  { isPractice }: ToolContext,
  run: () => Promise<unknown>,
): Promise<unknown> {
  try {
    const result = await run()
    return isPractice() && isObject(result) ? { practice: PRACTICE, ...result } : result
  } catch (error) {
    if (!isPractice() || !(error instanceof ToolFailure) || error.code !== 'outcome_unknown')
      throw error
    throw withMeta(error, { practice: PRACTICE })
  }
}
