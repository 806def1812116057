import { Failure } from '../../core/failure.ts'
import type { FailureCode } from '../../spec/failures.ts'
import { operationCall } from '../../wire/operation-path.ts'
import { suggestion } from '../explained.ts'
import { payloadOf } from '../venue-read.ts'
import type { MarketDeps } from './deps.ts'
import { keptOperation } from './operations.ts'
import { rowsOf } from './rows.ts'

const DOUBTFUL: readonly FailureCode[] = ['invalid_request', 'not_found', 'venue_rejected']

/**
 * Reads something of one market. The venue answers an unknown symbol with an empty list, no data or a refusal;
 * where the answer is one of these and the market is not listed, it is not_found. Throws Failure.
 */
export async function ofListed<T>(
  deps: MarketDeps,
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

function unknownMarket(symbol: string, symbols: readonly string[]): Failure {
  return new Failure('not_found', {
    parameter: 'symbol',
    reason: 'unknown_market',
    ...suggestion(symbol, symbols),
  })
}

async function assertListed(deps: MarketDeps, symbol: string): Promise<void> {
  const id = 'markets.list'
  const call = operationCall(id, new Map(), deps.operator.brokerId)
  const { reply } = await keptOperation(deps, id, call)
  const rows = rowsOf(payloadOf(reply.text()))
  const symbols = rows.map((row) => String(row['symbol']))
  if (!symbols.includes(symbol)) throw unknownMarket(symbol, symbols)
}
