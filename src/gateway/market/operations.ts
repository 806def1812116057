import { type Answer, fresh } from '../../cache/answer.ts'
import type { Caller } from '../../core/client-address.ts'
import { Failure } from '../../core/failure.ts'
import { lenient, type Query } from '../../core/query.ts'
import { scrubRead } from '../../scrub/read.ts'
import type { Reply } from '../../scrub/reply.ts'
import { sharedColumns } from '../../scrub/shared-columns.ts'
import { isSuffixed } from '../../scrub/suffixed-symbol.ts'
import { isOperationId, lifetimeOf, OPERATIONS, type OperationId } from '../../spec/operations.ts'
import { operationCall } from '../../wire/operation-path.ts'
import type { Deps } from '../deps.ts'
import { readVenue } from '../venue-read.ts'
import { publicReply, throughCache } from './shaped.ts'

/**
 * Answers one catalogued read: the venue's payload, scrubbed, at the top level.
 * Throws Failure: not_found for an unknown id, invalid_request naming a parameter, or the venue's.
 */
export async function readOperation(
  deps: Deps,
  id: string,
  query: Query,
  caller: Caller,
): Promise<Answer> {
  if (!isOperationId(id)) throw new Failure('not_found')
  const operation = OPERATIONS[id]
  if (isSuffixed(lenient(query, 'symbol'))) throw new Failure('not_found')
  const { path, cacheKey } = operationCall(id, query, deps.operator.brokerId)
  if (operation.answers === 'not_configured') throw new Failure('not_configured')
  if (operation.answers === 'here') return fresh(publicReply(deps, ipInfo(caller)))
  const load = () => loadOperation(deps, id, path)
  if (operation.freshSeconds === 0) return fresh(await load())
  return throughCache(deps, cacheKey, lifetimeOf(id), load)
}

async function loadOperation(deps: Deps, id: OperationId, path: string): Promise<Reply> {
  const { host, envelope, columnar } = OPERATIONS[id]
  const text = await readVenue(deps, { host, path, envelope })
  return scrubRead(deps, columnar ? sharedColumns(text) : text, { audience: 'public' })
}

// The venue would answer for the gateway's own address, so this one is answered here; prepd does not geolocate.
function ipInfo({ address }: Caller) {
  return { ip: address, city: '', region: '', checked: false }
}
