import { createBoundedMap } from '../../core/bounded-map.ts'
import { mainAccountId } from '../../core/crypto/account-id.ts'
import { Failure } from '../../core/failure.ts'
import { isObject } from '../../core/json.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import type { MarketAccess } from '../market/cached-answers.ts'
import { readPayload } from '../venue/read.ts'

const OWNERS_MAX = 10_000

/**
 * Returns a function: whether an account's id derives from its owner's wallet; true if the venue does not state the
 * wallet.
 */
export function createOwners(deps: MarketAccess): (accountId: string) => Promise<boolean> {
  const known = createBoundedMap<string, boolean>(OWNERS_MAX)
  return async (accountId) => {
    const before = known.get(accountId)
    if (before !== undefined) return before
    const path = `/v1/public/account?account_id=${accountId}`
    const found = await readPayload(deps, { path }).catch(
      defaultOnFailure('gateway', null, Failure),
    )
    const address = isObject(found) ? found['address'] : undefined
    if (typeof address !== 'string') return true
    const isOwned = mainAccountId(address, deps.operator.brokerId) === accountId
    known.put(accountId, isOwned)
    return isOwned
  }
}
