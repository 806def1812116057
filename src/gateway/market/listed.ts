import { Failure } from '../../core/failure.ts'
import { parseExact } from '../../core/json-text.ts'
import { scrubRead } from '../../scrub/read.ts'
import type { FailureCode } from '../../spec/failures.ts'
import { lifetimeOf } from '../../spec/operations.ts'
import type { Deps } from '../deps.ts'
import { readVenue } from '../venue-read.ts'
import { rowsOf } from './rows.ts'

const DOUBTFUL: readonly FailureCode[] = ['invalid_request', 'not_found', 'venue_rejected']

/**
 * Reads something of one market. The venue answers an unknown symbol with an empty list, no data or a refusal;
 * where the answer is one of these and the market is not listed, it is not_found. Throws Failure.
 */
export async function ofListed<T>(
  deps: Deps,
  symbol: string,
  read: () => Promise<T>,
  isEmpty: (answer: T) => boolean = () => false,
): Promise<T> {
  let answer: T
  try {
    answer = await read()
  } catch (error) {
    if (error instanceof Failure && DOUBTFUL.includes(error.code)) await assertListed(deps, symbol)
    throw error
  }
  if (isEmpty(answer)) await assertListed(deps, symbol)
  return answer
}

async function assertListed(deps: Deps, symbol: string): Promise<void> {
  const key = 'op:markets.list'
  const load = async () =>
    scrubRead(deps, await readVenue(deps, { path: '/v1/public/futures' }), { audience: 'public' })
  const { reply } = await deps.cache.serve(key, lifetimeOf('markets.list'), load)
  const rows = rowsOf(parseExact(reply.text()))
  if (!rows.some((row) => row['symbol'] === symbol)) throw new Failure('not_found')
}
