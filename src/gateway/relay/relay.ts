import { keyScope, type Method } from '../../contract/allowlist.ts'
import type { Envelope } from '../../contract/envelope.ts'
import { LIMITS } from '../../contract/limits.ts'
import { claimEndMs } from '../../core/claim.ts'
import type { Caller } from '../../core/client-address.ts'
import type { Verifier } from '../../core/crypto/verifier.ts'
import { currentRequest } from '../../core/observing/request-context.ts'
import {
  type Clock,
  type Store,
  type Upstream,
  UpstreamError,
  type UpstreamResponse,
} from '../../core/ports.ts'
import type { RelayMatch } from '../../upstream/wire/allowlist.ts'
import { openEnvelope } from '../../upstream/wire/envelope.ts'
import { certainlyNotDone, failureOfUpstreamError } from '../../upstream/wire/failures.ts'
import { signedHeaders } from '../../upstream/wire/wire.ts'
import { type ApprovableWrite, type Approvals, NotApproved } from '../approval/approvals.ts'
import { type Answer, fresh } from '../cache/answer.ts'
import type { Controls } from '../controls/controls.ts'
import { admit, admitAccount, type Charging } from '../limits/admission.ts'
import type { MandateGate } from '../mandate/gate.ts'
import type { Reply } from '../scrub/reply.ts'
import type { Scrub } from '../scrub/scrub.ts'
import { scrubRead, type VenueDeps } from '../venue/read.ts'
import { pathOf } from './listed-path.ts'
import { isUnauthorized, refusesKey, withScope } from './refused-key.ts'
import { assertFresh, assertSignature, identityOf, signatureOf, textOf } from './signed.ts'
import { REPLAY, type WriteLedger } from './write-ledger.ts'

/** What the relay uses: the venue, the windows, who proved to own an account, and which writes went out. */
export type RelayDeps = {
  readonly upstream: Upstream
  readonly clock: Clock
  readonly limiter: Charging
  readonly verifier: Verifier
  readonly store: Pick<Store, 'proofs'>
  readonly writes: Pick<WriteLedger, 'once'>
  readonly controls: Pick<Controls, 'assertOpen'>
  /** Holds writes of accounts with a mandate within it. */
  readonly gate: MandateGate
  /** Lets writes through that owners of accounts have approved. */
  readonly approvals: Approvals
  readonly scrub: Scrub
}

type Signed = {
  readonly envelope: Envelope
  readonly match: RelayMatch
  readonly method: Method
  /** The exact text the signature covers. */
  readonly text: string
}

/** The sender of a call to the venue. */
type Sender = {
  /** Whether the venue has accepted the key for the account. */
  readonly proven: boolean
  /** Whose share it takes of what callers share: the account, or the caller whose key the venue has not accepted. */
  readonly owner: string
  readonly isReducing?: boolean
}

/**
 * Forwards one signed request to the venue, path and body byte for byte, and answers the scrubbed payload. In
 * order: path, the address's window, freshness, signature, the account's window, its mandate, then the venue. A write goes out
 * at most once however often it is sent; a repeat gets the first answer, marked `x-prepd-replay: true`. With
 * `needsApproval` a write that opens or changes something goes only when the owner of its account has approved it.
 * A read with it is what the owner is shown of the account. `program` is what the caller's program calls itself.
 * Throws Failure: forbidden, rate_limited, not_available, expired_signature, invalid_request, invalid_signature, or the venue's.
 */
export async function relay(
  deps: RelayDeps,
  envelope: Envelope,
  caller: Caller,
  needsApproval = false,
  program: () => string | null = () => null,
): Promise<Answer> {
  const call = begunCall(envelope)
  const { match, method } = pathOf(deps.limiter, envelope, caller)
  call.path = match.template
  await admit(deps.limiter, match.cancels ? 'cancel' : 'relay', caller.limitKey)
  // The relay forwards cancels while writes are closed, so that an account can always exit.
  if (match.writes && !match.cancels) deps.controls.assertOpen()
  assertFresh(envelope.auth.timestamp, deps.clock.nowMs(), 'auth.timestamp')
  const signed = { envelope, match, method, text: textOf(envelope) }
  const { auth } = envelope
  assertSignature(deps.verifier, { ...auth, text: signed.text }, 'auth.')
  const policy = match.cancels ? 'cancel' : 'account'
  const { limiter, store } = deps
  const accountId = auth.accountId.toLowerCase()
  const { proven } = await admitAccount(limiter, store.proofs, policy, auth, caller.limitKey)
  const owner = proven ? accountId : `unproven ${caller.limitKey}`
  const { gate } = deps
  const learns = needsApproval ? gate.shows : gate.learns
  if (!match.writes) return fresh(await read(deps, learns, signed, { proven, owner }))
  const identity = identityOf(deps.verifier, envelope, signed.text)
  const expiresAtMs = claimEndMs(Number(auth.timestamp))
  const name = `${method} ${match.template}`
  const asked = { accountId, name, body: envelope.body ?? '', identity, proven, expiresAtMs }
  const bounded = gate.bound(asked)
  const isReducing = () => match.cancels || bounded.isReducing()
  const asker = { owner, key: auth.key, program }
  const known = () => ({ ...asked, ...asker, needsApproval, isReducing: isReducing() })
  const { reply, replayed } = await deps.writes.once({
    identity,
    // Only instances that share their store ask for it.
    get signature() {
      return signatureOf(envelope)
    },
    owner: accountId,
    signedAtMs: Number(auth.timestamp),
    expiresAtMs,
    // A cancel is forwarded without a claim: to cancel twice is to cancel.
    goesUnclaimed: match.cancels,
    claimant: owner,
    isReducing,
    assertFresh: () => assertFresh(auth.timestamp, deps.clock.nowMs(), 'auth.timestamp'),
    use: async () => (match.cancels ? null : bounded.use()),
    send: () => bounded.send(() => write(deps, signed, known()), leftUntouched),
    certainlyNotDone: leftUntouched,
  })
  return replayed ? fresh(reply, REPLAY) : fresh(reply)
}

/** Sends a read. The gate learns from the reads that `learns` names. */
async function read(
  deps: RelayDeps,
  learns: MandateGate['learns'],
  signed: Signed,
  sender: Sender,
): Promise<Reply> {
  const { clock } = deps
  const { auth, path } = signed.envelope
  const learn = learns.get(signed.match.template)
  if (!learn) return forward(deps, signed, sender)
  const askedAtMs = clock.nowMs()
  const reply = await forward(deps, signed, sender)
  const times = { askedAtMs, answeredAtMs: clock.nowMs() }
  await learn({ accountId: auth.accountId.toLowerCase(), path, ...times }, reply)
  return reply
}

/** Sends a write, approved where the owner of its account has to do that. */
function write(
  deps: RelayDeps,
  signed: Signed,
  known: Sender & Omit<ApprovableWrite, 'method' | 'path'>,
): Promise<Reply> {
  const { match, method, envelope } = signed
  const send = () => forward(deps, signed, known)
  return match.cancels
    ? send()
    : deps.approvals.send({ ...known, method, path: envelope.path }, send)
}

/** The call of the running request, whose path is not known to be listed yet. */
function begunCall({ method, auth: { accountId } }: Envelope) {
  const call = { accountId, method, path: 'unlisted', refusal: null, replayed: false }
  const request = currentRequest()
  if (request) request.call = call
  return call
}

async function forward(deps: RelayDeps, signed: Signed, sender: Sender): Promise<Reply> {
  const kind = signed.match.writes ? 'write' : 'read'
  const response = await sendSigned(deps, signed, sender)
  const { accountId, key } = signed.envelope.auth
  const account = accountId.toLowerCase()
  const { proven } = sender
  try {
    const text = openEnvelope(response, 'data', kind, { missing: 'empty', signed: true })
    if (!proven) await deps.store.proofs.add(account, key, deps.clock.nowMs())
    const policy = { audience: 'private' } as const
    return kind === 'read' ? scrubRead(deps.scrub, text, policy) : deps.scrub.text(text, policy)
  } catch (error) {
    const scope = keyScope(signed.method, signed.match.template)
    if (proven && refusesKey(error, scope)) await deps.store.proofs.remove(account, key)
    throw withScope(error, scope)
  }
}

// Refused credentials leave the venue untouched too: the same text may be another account's rightful order.
function leftUntouched(error: unknown): boolean {
  return certainlyNotDone(error) || isUnauthorized(error) || error instanceof NotApproved
}

async function sendSigned(
  { upstream }: VenueDeps,
  { envelope, method, match }: Signed,
  { owner, isReducing = false }: Sender,
): Promise<UpstreamResponse> {
  const { path, body, auth } = envelope
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
