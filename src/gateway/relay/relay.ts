import { keyScope, type Method, RELAY_PATHS } from '../../contract/allowlist.ts'
import type { Envelope } from '../../contract/envelope.ts'
import { LIMITS } from '../../contract/limits.ts'
import { claimEndMs } from '../../core/claim.ts'
import type { Caller } from '../../core/client-address.ts'
import type { Verifier } from '../../core/crypto/verifier.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import { currentRequest } from '../../core/observing/request-context.ts'
import {
  type Clock,
  type Store,
  type Upstream,
  UpstreamError,
  type UpstreamResponse,
} from '../../core/ports.ts'
import { matchRelay, type RelayMatch } from '../../upstream/wire/allowlist.ts'
import { openEnvelope } from '../../upstream/wire/envelope.ts'
import { certainlyNotDone, failureOfUpstreamError } from '../../upstream/wire/failures.ts'
import { signedHeaders } from '../../upstream/wire/wire.ts'
import { type ApprovableWrite, type Approvals, NotApproved } from '../approval/approvals.ts'
import { type Answer, uncachedAnswer } from '../cache/answer.ts'
import type { Controls } from '../controls/controls.ts'
import { admit, admitAccount, admitRead, type ChargeableWindows } from '../limits/admission.ts'
import type { MandateGate } from '../mandate/gate.ts'
import type { AskedWrite } from '../mandate/reserve.ts'
import { suggestion } from '../market/parameter-faults.ts'
import type { Reply } from '../scrub/reply.ts'
import type { Scrub } from '../scrub/scrub.ts'
import { scrubRead } from '../venue/read.ts'
import { assertFresh, assertSignature, callIdentity, callText, signatureBytes } from './signed.ts'
import { REPLAY, type WriteLedger, type Written } from './write-ledger.ts'

/** Access of the relay: the venue, the windows, the proofs of keys, and the ledger of writes. */
export type RelayAccess = {
  readonly upstream: Upstream
  readonly clock: Clock
  readonly limiter: ChargeableWindows
  readonly verifier: Verifier
  readonly store: Pick<Store, 'proofs'>
  readonly writes: Pick<WriteLedger, 'once'>
  readonly controls: Pick<Controls, 'assertOpen'>
  /** Keeps writes of accounts within their mandates. */
  readonly gate: MandateGate
  /** Sends writes that need no approval, or that the owners of their accounts have approved. */
  readonly approvals: Approvals
  readonly scrub: Scrub
}

/** A signed request that passes the gates. */
type Call = {
  readonly envelope: Envelope
  readonly caller: Caller
  readonly match: RelayMatch
  readonly method: Method
  /** The account that the envelope names, lower case. */
  readonly accountId: string
  /** The exact text that the signature covers. */
  readonly text: string
  /** Whether the venue has accepted the key for the account; false until the account's window is charged. */
  proven: boolean
  /**
   * The party whose share of common resources the call uses: the account, or the caller while the venue has not
   * accepted the key.
   */
  owner: string
}

/** A write in the form that the mandate and approval gates check. */
type Write = AskedWrite & Pick<ApprovableWrite, 'needsApproval' | 'program'>

/** A write that the mandate gate has prepared. */
type Bound = ReturnType<MandateGate['bound']>

/**
 * Forwards one signed request to the venue, path and body byte for byte, and returns the scrubbed payload. The gates
 * are the `pass…` functions below, in this sequence. A write's mandate is charged in the commit of its claim, and its
 * approval is used up after the claim.
 *
 * A write is sent at most once, even if the caller repeats it. A repeat gets the first answer, marked `x-prepd-replay:
 * true`. With `needsApproval`, a write that opens or changes something is only sent after the account's owner has
 * approved it. A read with `needsApproval` supplies figures that prepd shows to the owner. `program`: the name that the
 * caller's program gives itself.
 *
 * Throws Failure: forbidden, rate_limited, not_available, expired_signature, invalid_request, invalid_signature, or the
 * failure that the venue's answer means.
 */
export async function relay(
  deps: RelayAccess,
  envelope: Envelope,
  caller: Caller,
  needsApproval = false,
  program: () => string | null = () => null,
): Promise<Answer> {
  const call = passPath(deps, envelope, caller)
  await passWindow(deps, call)
  passFreshness(deps, call)
  passSignature(deps, call)
  await passAccountWindow(deps, call)
  if (!call.match.writes) return uncachedAnswer(await relayRead(deps, call, needsApproval))
  const write = { ...askedWrite(deps, call), needsApproval, program }
  const bound = passMandate(deps, call, write)
  const { reply, replayed } = await passClaim(deps, call, write, bound, () => {
    const isReducing = bound.isReducing()
    return passApproval(deps, call, write, () => passVenue(deps, call, isReducing))
  })
  return replayed ? uncachedAnswer(reply, REPLAY) : uncachedAnswer(reply)
}

/** Path gate: the allowlist contains the method and path. An unlisted path is charged to the caller as malformed. */
function passPath({ limiter }: RelayAccess, envelope: Envelope, caller: Caller): Call {
  const { method, auth } = envelope
  const noted = {
    accountId: auth.accountId,
    method,
    path: 'unlisted',
    refusal: null,
    replayed: false,
  }
  const request = currentRequest()
  if (request) request.call = noted
  const match = listedPath(envelope)
  if (match instanceof Failure) {
    chargeMalformed(limiter, caller)
    throw withSimilar(match, envelope)
  }
  noted.path = match.template
  const accountId = auth.accountId.toLowerCase()
  const owner = `unproven ${caller.limitKey}`
  return {
    envelope,
    caller,
    match,
    method,
    accountId,
    text: callText(envelope),
    proven: false,
    owner,
  }
}

/** Window gate: the address is within its rate limit, and writes are open. Cancels pass while writes are closed. */
async function passWindow({ limiter, controls }: RelayAccess, { match, caller }: Call) {
  await admit(limiter, match.cancels ? 'cancel' : 'relay', caller.limitKey)
  if (match.writes && !match.cancels) controls.assertOpen()
}

/** Freshness gate: the signed time is close to this service's time. */
function passFreshness({ clock }: RelayAccess, { envelope }: Call): void {
  assertFresh(envelope.auth.timestamp, clock.nowMs(), 'auth.timestamp')
}

/** Signature gate: the key has signed this method, path, body and time. */
function passSignature({ verifier }: RelayAccess, { envelope: { auth }, text }: Call): void {
  assertSignature(verifier, { ...auth, text }, 'auth.')
}

/** Account window gate: the account, or the caller of an unaccepted key, is within its rate limit. */
async function passAccountWindow({ limiter, store }: RelayAccess, call: Call): Promise<void> {
  const { match, envelope, caller, accountId } = call
  const policy = match.cancels ? 'cancel' : 'account'
  const { auth } = envelope
  const { proven } = await admitAccount(limiter, store.proofs, policy, auth, caller.limitKey)
  if (!proven) return
  call.proven = true
  call.owner = accountId
}

/** Mandate gate: prepares the write's use of limits, which the commit of its claim reserves. A cancel uses no limit. */
function passMandate({ gate }: RelayAccess, { match }: Call, write: AskedWrite): Bound {
  const bound = gate.bound(write)
  return match.cancels ? { ...bound, use: async () => null, isReducing: () => true } : bound
}

/**
 * Approval gate: if the write needs an approval, the account's owner has approved it. A cancel never needs an approval.
 */
function passApproval(
  { approvals }: RelayAccess,
  { match, method, envelope: { path, auth } }: Call,
  write: Write,
  send: () => Promise<Reply>,
): Promise<Reply> {
  return match.cancels ? send() : approvals.send({ ...write, key: auth.key, method, path }, send)
}

/** Claim gate: the claim is stored before the write is sent, so that the write is sent at most once. */
function passClaim(
  deps: RelayAccess,
  call: Call,
  { identity, expiresAtMs }: AskedWrite,
  bound: Bound,
  send: () => Promise<Reply>,
): Promise<Written> {
  const { envelope, match, accountId, owner } = call
  return deps.writes.once({
    identity,
    // Computed on demand, because only instances that share a store need the signature.
    get signature() {
      return signatureBytes(envelope)
    },
    owner: accountId,
    signedAtMs: Number(envelope.auth.timestamp),
    expiresAtMs,
    // A cancel is sent even if its claim cannot be stored, because a second cancel is harmless.
    goesUnclaimed: match.cancels,
    claimant: owner,
    isReducing: bound.isReducing,
    assertFresh: () => passFreshness(deps, call),
    use: bound.use,
    send: () => bound.send(send, leftUntouched),
    certainlyNotDone: leftUntouched,
  })
}

/** Sends the signed bytes to the venue. Notes whether the venue accepts the key, and scrubs its answer. */
async function passVenue(deps: RelayAccess, call: Call, isReducing: boolean): Promise<Reply> {
  const { match, method, envelope, accountId, proven } = call
  const kind = match.writes ? 'write' : 'read'
  const { proofs } = deps.store
  const { key } = envelope.auth
  const response = await sendSigned(deps, call, isReducing)
  try {
    const text = openEnvelope(response, 'data', kind, { missing: 'empty', signed: true })
    if (!proven) await proofs.add(accountId, key, deps.clock.nowMs())
    const policy = { audience: 'private' } as const
    return match.writes ? deps.scrub.text(text, policy) : scrubRead(deps.scrub, text, policy)
  } catch (error) {
    const scope = keyScope(method, match.template)
    if (proven && refusesKey(error, scope)) await proofs.remove(accountId, key)
    throw withScope(error, scope)
  }
}

async function sendSigned(
  { upstream }: RelayAccess,
  { envelope: { path, body, auth }, method, match, owner }: Call,
  isReducing: boolean,
): Promise<UpstreamResponse> {
  const kind = match.writes ? 'write' : 'read'
  try {
    return await upstream.send({
      host: 'main',
      method,
      path,
      headers: signedHeaders(method, auth),
      ...(body && { body }),
      lane: kind,
      ...{ owner, isReducing },
      deadlineMs: kind === 'write' ? LIMITS.upstreamWriteDeadlineMs : LIMITS.upstreamReadDeadlineMs,
    })
  } catch (error) {
    if (error instanceof UpstreamError) throw failureOfUpstreamError(error, kind)
    throw error
  }
}

/** Sends a read. The mandate gate takes figures from its answer. */
async function relayRead(deps: RelayAccess, call: Call, isForOwner: boolean): Promise<Reply> {
  const { clock, gate } = deps
  const learns = isForOwner ? gate.shows : gate.learns
  const learn = learns.get(call.match.template)
  if (!learn) return passVenue(deps, call, false)
  const askedAtMs = clock.nowMs()
  const reply = await passVenue(deps, call, false)
  const { accountId, envelope } = call
  await learn({ accountId, path: envelope.path, askedAtMs, answeredAtMs: clock.nowMs() }, reply)
  return reply
}

function askedWrite(
  { verifier }: RelayAccess,
  { envelope, match, method, accountId, text, proven }: Call,
): AskedWrite {
  return {
    accountId,
    name: `${method} ${match.template}`,
    body: envelope.body ?? '',
    identity: callIdentity(verifier, envelope, text),
    proven,
    expiresAtMs: claimEndMs(Number(envelope.auth.timestamp)),
  }
}

/** Charges a malformed request to the caller's window for malformed requests. Throws rate_limited. */
export function chargeMalformed(limiter: ChargeableWindows, caller: Caller): void {
  admitRead(limiter, `malformed:${caller.limitKey}`)
}

/** The row of the allowlist for an envelope, or the failure of an envelope that is not listed. */
function listedPath({ method, path, body }: Envelope): RelayMatch | Failure {
  try {
    const match = matchRelay(method, path)
    if (body && method === 'GET') return invalidParameter('body', 'conflicting')
    return body && !body.isWellFormed() ? invalidParameter('body') : match
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

/**
 * Adds a similarly named path to the failure of an unlisted path; only a read gets the path as a suggestion. Other
 * failures are returned unchanged.
 */
function withSimilar(failure: Failure, { method, path }: Envelope): Failure {
  const { meta } = failure
  if (meta?.reason !== 'not_relayed' || meta['parameter'] !== 'path') return failure
  const [pathname = ''] = path.split('?', 1)
  const meant = suggestion(pathname, LISTED)
  const { suggestion: similar } = meant
  if (method === 'GET' || !similar) return new Failure(failure.code, { ...meta, ...meant })
  return new Failure(failure.code, { ...meta, next: `${similar} has a similar name. ${OTHER}` })
}

const OTHER = 'Another path is another write: send it only if it is the one that was meant.'

const LISTED = RELAY_PATHS.map((row) => row.path)

type KeyScope = ReturnType<typeof keyScope>

/**
 * Whether the venue no longer accepts a key. A key that only lacks a scope is still the account's key. The refusal
 * `credentials` of a write can mean either case. For a read it means a rejected key, because every key may read.
 */
function refusesKey(error: unknown, scope: KeyScope): boolean {
  if (!isUnauthorized(error)) return false
  const reason = error.meta?.reason
  return reason !== 'scope' && (reason !== 'credentials' || scope === 'read')
}

/** Adds the required scope to a refusal of the credentials, if a missing scope may be the cause. */
function withScope(error: unknown, scope: KeyScope): unknown {
  if (!isUnauthorized(error) || scope === 'read') return error
  const reason = error.meta?.reason
  if (reason !== 'scope' && reason !== 'credentials') return error
  return new Failure(error.code, { ...error.meta, expected: `scope ${scope}` }, { cause: error })
}

function isUnauthorized(error: unknown): error is Failure {
  return error instanceof Failure && error.code === 'unauthorized'
}

// Whether the venue certainly did nothing. Refused credentials count too: the same signed text may be a valid order of
// a different account.
function leftUntouched(error: unknown): boolean {
  return certainlyNotDone(error) || isUnauthorized(error) || error instanceof NotApproved
}
