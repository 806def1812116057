import { signedText } from '../../core/crypto/signed-text.ts'
import type { Verifier } from '../../core/crypto/verifier.ts'
import type { FeedAuth } from '../../core/feed.ts'
import { uriDecoded } from '../../core/query.ts'
import { hasScope, isKeyValid } from '../accounts/accounts.ts'
import type { Key, VenueState } from '../exchange/state.ts'
import { type BothClocksTime, freshClockMs } from '../messages/limits.ts'
import type { VenueRequest } from '../messages/message.ts'
import { refusal } from '../messages/refusals.ts'
import type { KeyScope, VenueRow } from '../messages/row.ts'

const HEADERS = [
  'orderly-account-id',
  'orderly-key',
  'orderly-timestamp',
  'orderly-signature',
] as const

const CONTENT_TYPES: Readonly<Record<VenueRow['method'], string>> = {
  GET: 'application/x-www-form-urlencoded',
  DELETE: 'application/x-www-form-urlencoded',
  POST: 'application/json',
  PUT: 'application/json',
}

/**
 * Verifies the signature and the scope of a private call. Returns the account id. Throws
 * - -1005 for a wrong content type,
 * - -1001 for a malformed, wrong or stale signature,
 * - -1002 if headers are missing, or if the account's key is unknown, has expired or lacks the scope.
 */
export function authenticate(
  exchange: VenueState,
  verifier: Verifier,
  request: VenueRequest,
  row: Pick<VenueRow, 'method' | 'scope'>,
  moment: BothClocksTime,
): string {
  checkContentType(request, row.method)
  const [accountId, publicKey, timestamp, signature] = HEADERS.map((name) =>
    requiredHeader(request, name),
  )
  if (!accountId || !publicKey || !timestamp || !signature) throw refusal('unauthorized')
  checkFreshness(timestamp, moment)
  const known = findSigningKey(exchange, accountId, publicKey)
  if (!known) throw refusal('unauthorized')
  const signs = (path: string) =>
    verifier.verify(
      publicKey,
      signedText({ ...request, timestamp, path }),
      asBase64Url(signature),
    ) === 'valid'
  if (!signablePaths(request.path).some(signs)) throw refusal('signature')
  // The text says why the key has ended, because a virtual clock can outlive keys within hours.
  if (!isKeyValid(known.key, moment.nowMs)) throw refusal('unauthorized', keyEndReason(known.key))
  if (!isAllowed(row.scope, (scope) => hasScope(known.key, scope)))
    throw refusal('unauthorized', `orderly key has no scope ${row.scope}`)
  return known.accountId
}

function keyEndReason({ removedAtMs }: Key): string {
  return removedAtMs === undefined ? 'orderly key is expired' : 'orderly key was removed'
}

/** Whether a signature over a fresh timestamp proves a key of the account. A private socket requires this proof. */
export function provesAccountKey(
  exchange: VenueState,
  verifier: Verifier,
  { accountId, key: publicKey, timestamp, signature }: FeedAuth,
  moment: BothClocksTime,
): boolean {
  const known = findSigningKey(exchange, accountId, publicKey)
  if (!known || !isKeyValid(known.key, moment.nowMs) || !isFresh(timestamp, moment)) return false
  return verifier.verify(publicKey, timestamp, asBase64Url(signature)) === 'valid'
}

/** Finds a key that may sign for an account: a key of the account or, for a sub-account, of its main account. */
export function findSigningKey({ accounts }: VenueState, accountId: string, publicKey: string) {
  const profile = accounts.get(accountId.toLowerCase())?.profile
  if (!profile) return null
  const own = accounts.get(profile.accountId)?.keys.get(publicKey)
  const key = own ?? accounts.get(profile.main ?? '')?.keys.get(publicKey)
  return key ? { key, accountId: profile.accountId } : null
}

/** Throws -1005 if a call with a body has a wrong content type. */
export function checkContentType(request: VenueRequest, method: VenueRow['method']): void {
  const header = request.headers['content-type']
  if (header === undefined && (method === 'GET' || method === 'DELETE')) return
  const [type = ''] = (header ?? '').split(';')
  if (type.trim().toLowerCase() !== CONTENT_TYPES[method])
    throw refusal('parameter', 'Content type not supported')
}

/** The texts of a path that a signature may cover: as sent, or with decoded escapes, as some clients sign it. */
function signablePaths(path: string): readonly string[] {
  if (!path.includes('%')) return [path]
  return [path, uriDecoded(path) ?? path]
}

function requiredHeader({ headers }: VenueRequest, name: string): string {
  const value = headers[name]
  if (!value) throw refusal('unauthorized', `${name} header is empty`)
  return value
}

function checkFreshness(timestamp: string, moment: BothClocksTime): void {
  if (!isFresh(timestamp, moment)) {
    throw refusal('signature', 'The timestamp is more than 300 seconds away')
  }
}

function isFresh(timestamp: string, moment: BothClocksTime): boolean {
  return /^\d{10,16}$/.test(timestamp) && freshClockMs(Number(timestamp), moment) !== null
}

/** A signature in the base64url alphabet without padding. Clients use either alphabet. */
function asBase64Url(signature: string): string {
  return signature
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/(?<!=)=+$/, '')
}

function isAllowed(scope: KeyScope, has: (scope: KeyScope) => boolean): boolean {
  return scope === 'none' || has(scope)
}
