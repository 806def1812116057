import type { Static } from '@sinclair/typebox'
import type { Envelope } from '../../contract/envelope.ts'
import {
  STANDBY,
  STANDBY_CANCEL,
  type StandbyAnswer,
  type StandbyBody,
} from '../../contract/standby.ts'
import type { Caller } from '../../core/client-address.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import type { Store } from '../../core/ports.ts'
import type { AccountKey, SignedCancel, Standby } from '../../core/standby.ts'
import { type Answer, privateAnswer } from '../cache/answer.ts'
import type { RelayAccess } from '../relay/relay.ts'
import { admitPair, admitSigner, claimAct, notRelayed } from '../relay/service-act.ts'
import { assertFresh, assertSignature, callIdentity, callText } from '../relay/signed.ts'

/** Access for standby cancels. */
export type StandbyAccess = Omit<RelayAccess, 'store'> & {
  readonly store: Pick<Store, 'proofs' | 'standbys' | 'once'>
}

/**
 * Arms a standby cancel, which replaces the previous standby of the same account and key. A signed cancel is relayed
 * after the caller has been silent for `afterMs`, or before the last signature becomes too old. Repeating the armed
 * cancels does not postpone the deadline. Throws Failure:
 * - invalid_request naming the parameter, expired_signature, invalid_signature.
 * - unauthorized for a key that the venue has not yet accepted.
 * - duplicate_request for a cancel that was sent before or is older than the armed cancels.
 * - not_available while the previous standby is being sent.
 */
export async function armStandby(
  deps: StandbyAccess,
  { envelopes, afterMs }: StandbyBody,
  caller: Caller,
): Promise<Answer> {
  const nowMs = deps.clock.nowMs()
  const pair = commonAccountKey(envelopes)
  assertNoGaps(envelopes, nowMs)
  for (const [at, envelope] of envelopes.entries()) assertCancel(deps, envelope, at)
  await admitPair(deps, pair, caller)
  const endsAtMs = sendUntilMs(envelopes.at(-1)?.auth.timestamp ?? '0')
  if (nowMs + afterMs > endsAtMs)
    throw invalidParameter('afterMs', 'out_of_range', { max: endsAtMs - nowMs })
  for (const [at, envelope] of envelopes.entries()) await assertUnsent(deps, envelope, at)
  const standby: Standby = {
    ...pair,
    cancels: envelopes.map(toSignedCancel),
    signedAtMs: Number(envelopes[0]?.auth.timestamp),
    afterMs,
    dueAtMs: nowMs + afterMs,
    endsAtMs,
    state: 'armed',
    changedAtMs: nowMs,
    failure: null,
  }
  if (await deps.store.standbys.arm(standby)) return standbyAnswer(deps, standby)
  return standbyAnswer(deps, await requireSameArmed(deps, standby))
}

/**
 * Shows (GET) or withdraws (DELETE) the standby of the account and key that signed the request. Throws Failure:
 * expired_signature, invalid_signature, unauthorized, duplicate_request for a repeated withdrawal, forbidden for any
 * other method.
 */
export async function standbyAct(
  deps: StandbyAccess,
  envelope: Envelope,
  caller: Caller,
): Promise<Answer> {
  const { method } = envelope
  if (method !== 'GET' && method !== 'DELETE') throw notRelayed('GET or DELETE')
  if (envelope.body) throw invalidParameter('body', 'conflicting')
  const pair = await admitSigner(deps, envelope, caller)
  if (method === 'DELETE') {
    await claimAct(deps, envelope)
    await deps.store.standbys.withdraw(pair, deps.clock.nowMs())
  }
  return standbyAnswer(deps, await deps.store.standbys.find(pair))
}

/** The time by which the caller must renew a cancel with this timestamp. */
function sendUntilMs(timestamp: string): number {
  return Number(timestamp) + STANDBY.renewWithinMs
}

/**
 * The account and key that all envelopes share. Throws invalid_request if an envelope has a different account or key.
 */
function commonAccountKey(envelopes: readonly Envelope[]): AccountKey {
  const [first, ...others] = envelopes
  if (!first) throw invalidParameter('envelopes', 'too_short')
  const { accountId, key } = first.auth
  for (const [at, { auth }] of others.entries()) {
    if (auth.key !== key) throw invalidParameter(`envelopes.${at + 1}.auth.key`, 'conflicting')
    if (auth.accountId.toLowerCase() !== accountId.toLowerCase())
      throw invalidParameter(`envelopes.${at + 1}.auth.accountId`, 'conflicting')
  }
  return { accountId: accountId.toLowerCase(), publicKey: key }
}

/** Throws if the signed times leave a gap in which no cancel could be sent. */
function assertNoGaps(envelopes: readonly Envelope[], nowMs: number): void {
  for (const [at, { auth }] of envelopes.entries()) {
    const parameter = `envelopes.${at}.auth.timestamp`
    const before = envelopes[at - 1]
    if (!before) {
      assertFresh(auth.timestamp, nowMs, parameter)
      if (sendUntilMs(auth.timestamp) <= nowMs) throw new Failure('expired_signature')
      continue
    }
    const laterMs = Number(auth.timestamp) - Number(before.auth.timestamp)
    if (laterMs <= 0 || laterMs > STANDBY.renewWithinMs)
      throw invalidParameter(parameter, 'out_of_range')
  }
}

function assertCancel({ verifier }: StandbyAccess, envelope: Envelope, at: number): void {
  const prefix = `envelopes.${at}.`
  if (envelope.method !== 'DELETE')
    throw invalidParameter(`${prefix}method`, 'malformed', { expected: 'DELETE' })
  if (!STANDBY_CANCEL.test(envelope.path))
    throw invalidParameter(`${prefix}path`, 'malformed', {
      expected: '/v1/orders, with ?symbol=, or /v1/order or /v1/algo/order with ?order_id=&symbol=',
    })
  if (envelope.body) throw invalidParameter(`${prefix}body`, 'conflicting')
  assertSignature(verifier, { ...envelope.auth, text: callText(envelope) }, `${prefix}auth.`)
}

async function assertUnsent(
  { store, verifier, clock }: StandbyAccess,
  envelope: Envelope,
  at: number,
): Promise<void> {
  const claim = await store.once.find(callIdentity(verifier, envelope, callText(envelope)))
  if (claim && claim.expiresAtMs > clock.nowMs())
    throw new Failure('duplicate_request', { parameter: `envelopes.${at}` })
}

/**
 * Returns the armed standby if it has the wanted cancels. Throws Failure if the cancels differ, or while a standby is
 * being sent.
 */
async function requireSameArmed({ store }: StandbyAccess, wanted: Standby): Promise<Standby> {
  const found = await store.standbys.find(wanted)
  if (found?.state === 'sending') throw new Failure('not_available', { retryAfterSeconds: 1 })
  const isSame = JSON.stringify(found?.cancels) === JSON.stringify(wanted.cancels)
  if (found?.state !== 'armed' || !isSame)
    throw new Failure('duplicate_request', { parameter: 'envelopes' })
  return found
}

function toSignedCancel({ path, auth: { timestamp, signature } }: Envelope): SignedCancel {
  return { path, timestamp, signature }
}

function standbyAnswer(deps: Pick<StandbyAccess, 'scrub'>, standby: Standby | null): Answer {
  return privateAnswer(deps, shownStandby(standby))
}

function shownStandby(standby: Standby | null): Static<typeof StandbyAnswer> {
  if (!standby) return { state: 'none' }
  const { state, dueAtMs, endsAtMs, changedAtMs, failure } = standby
  if (state === 'sending') return { state }
  if (state === 'armed') return { state, sendsAtMs: dueAtMs, endsAtMs }
  return { state, endedAtMs: changedAtMs, ...(failure !== null && { failure }) }
}
