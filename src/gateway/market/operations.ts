import type { FailureCode } from '../../contract/failures.ts'
import {
  isOperationId,
  OPERATIONS,
  type OperationId,
  operationLifetime,
} from '../../contract/operations.ts'
import type { Caller } from '../../core/client-address.ts'
import { Failure } from '../../core/failure.ts'
import { rowsAt } from '../../core/json.ts'
import { lenientValue, type Query } from '../../core/query.ts'
import { type OperationCall, operationCall } from '../../upstream/wire/operation-path.ts'
import { type Answer, uncachedAnswer } from '../cache/answer.ts'
import type { Reply } from '../scrub/reply.ts'
import { isSuffixed, type ScrubPolicy, sharedColumns } from '../scrub/scrub.ts'
import { type Operator, type OperatorCallAccess, readAsOperator } from '../venue/operator-call.ts'
import { parsePayload, readVenue, scrubRead } from '../venue/read.ts'
import { answerFromCache, type MarketAccess, publicReply } from './cached-answers.ts'
import { suggestion } from './parameter-faults.ts'

/** Access for catalogued reads: the venue, and the operator's key if it is set. */
export type OperationAccess = MarketAccess &
  OperatorCallAccess & { readonly operator: Pick<Operator, 'venueKey'> }

/**
 * Answers one catalogued read with the venue's scrubbed payload. Throws Failure:
 * - not_found for an unknown id.
 * - invalid_request naming a parameter.
 * - not_configured if the read needs an operator's key and no key is set.
 * - The failure that the venue's answer means.
 */
export async function readOperation(
  deps: OperationAccess,
  id: string,
  query: Query,
  caller: Caller,
): Promise<Answer> {
  if (!isOperationId(id)) throw unknownOperation(id)
  const operation = OPERATIONS[id]
  if (isSuffixed(lenientValue(query, 'symbol'))) throw new Failure('not_found')
  const call = operationCall(id, query, deps.operator.brokerId)
  if (operation.answers === 'here') return uncachedAnswer(publicReply(deps, ipInfo(caller)))
  if (operation.answers === 'signed') return serveSignedOperation(deps, id, call)
  if (operation.freshSeconds === 0) return uncachedAnswer(await loadOperation(deps, id, call.path))
  return serveOperation(deps, id, call)
}

const IDS = Object.keys(OPERATIONS)

function unknownOperation(id: string): Failure {
  const meta = { parameter: 'id', reason: 'unknown_operation', ...suggestion(id, IDS) } as const
  return new Failure('not_found', meta)
}

/** Answers a cacheable catalogued read from the cache, or loads it. Throws Failure. */
function serveOperation(
  deps: MarketAccess,
  id: OperationId,
  { path, cacheKey }: OperationCall,
): Promise<Answer> {
  const load = () => loadOperation(deps, id, path)
  return answerFromCache(deps, { cacheKey, lifetime: operationLifetime(id) }, load)
}

/**
 * Answers a read that the venue allows only the operator. The read is signed with the operator's key and cached like
 * any other read.
 */
function serveSignedOperation(
  deps: OperationAccess,
  id: OperationId,
  { path, cacheKey }: OperationCall,
): Promise<Answer> {
  const { venueKey } = deps.operator
  if (!venueKey) throw new Failure('not_configured')
  return answerFromCache(deps, { cacheKey, lifetime: operationLifetime(id) }, async () =>
    scrubRead(deps.scrub, await readAsOperator(deps, venueKey, path), { audience: 'public' }),
  )
}

async function loadOperation(deps: MarketAccess, id: OperationId, path: string): Promise<Reply> {
  const { host, envelope, columnar, prose } = OPERATIONS[id]
  const text = await readVenue(deps, { host, path, envelope })
  const policy: ScrubPolicy = { audience: 'public', ...(prose && { prose }) }
  return scrubRead(deps.scrub, columnar ? sharedColumns(text) : text, policy)
}

// Answered here, because the venue would see the gateway's address. prepd does not geolocate.
function ipInfo({ address }: Caller) {
  return { ip: address, city: '', region: '', checked: false }
}

const DOUBTFUL: readonly FailureCode[] = ['invalid_request', 'not_found', 'venue_rejected']

/**
 * Reads data of one market. For an unknown symbol the venue answers with an empty list, no data or a refusal. If the
 * market is not listed, such an answer becomes not_found. Throws Failure.
 */
export async function readListed<T>(
  deps: MarketAccess,
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

async function assertListed(deps: MarketAccess, symbol: string): Promise<void> {
  const id = 'markets.list'
  const call = operationCall(id, new Map(), deps.operator.brokerId)
  const { reply } = await serveOperation(deps, id, call)
  const rows = rowsAt(parsePayload(reply.text()), 'rows')
  const symbols = rows.map((row) => String(row['symbol']))
  if (!symbols.includes(symbol)) throw unknownMarket(symbol, symbols)
}
