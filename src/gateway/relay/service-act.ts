import type { Envelope } from '../../contract/envelope.ts'
import { type Claim, claimEndMs } from '../../core/claim.ts'
import type { Caller } from '../../core/client-address.ts'
import { Failure } from '../../core/failure.ts'
import type { Clock, Store } from '../../core/ports.ts'
import type { AccountKey } from '../../core/standby.ts'
import { admitAccount } from '../limits/admission.ts'
import type { RelayAccess } from './relay.ts'
import { assertFresh, assertSignature, callIdentity, callText } from './signed.ts'

/** Access for envelopes that address this service, not the venue. */
export type ServiceActAccess = Pick<RelayAccess, 'clock' | 'limiter' | 'verifier'> & {
  readonly store: Pick<Store, 'proofs' | 'once'>
}

/**
 * The account and key that have signed an envelope for this service. Throws Failure: expired_signature,
 * invalid_signature, rate_limited, unauthorized for a key that the venue has not yet accepted.
 */
export async function admitSigner(
  deps: ServiceActAccess,
  envelope: Envelope,
  caller: Caller,
): Promise<AccountKey> {
  const { auth } = envelope
  assertFresh(auth.timestamp, deps.clock.nowMs(), 'auth.timestamp')
  assertSignature(deps.verifier, { ...auth, text: callText(envelope) }, 'auth.')
  const pair = { accountId: auth.accountId.toLowerCase(), publicKey: auth.key }
  await admitPair(deps, pair, caller)
  return pair
}

/** Throws unauthorized for a pair that the venue has not accepted, because anyone can sign and name a victim's account. */
export async function admitPair(
  { limiter, store }: ServiceActAccess,
  { accountId, publicKey: key }: AccountKey,
  { limitKey }: Caller,
): Promise<void> {
  const signed = { accountId, key }
  const { proven } = await admitAccount(limiter, store.proofs, 'account', signed, limitKey)
  if (proven) return
  throw new Failure('unauthorized', {
    reason: 'key_unknown',
    next: 'Relay any signed read with this key first.',
  })
}

/** The failure of a request with an unsupported method. */
export function notRelayed(expected: string): Failure {
  return new Failure('forbidden', { parameter: 'method', reason: 'not_relayed', expected })
}

/** Claims a signed change, so that a party who has seen it cannot replay it. Throws the failures of `claimOnce`. */
export function claimAct(deps: ServiceActAccess, envelope: Envelope): Promise<void> {
  const { timestamp } = envelope.auth
  return claimOnce(deps, {
    identity: callIdentity(deps.verifier, envelope, callText(envelope)),
    sinceMs: Number(timestamp),
    expiresAtMs: claimEndMs(Number(timestamp)),
    isSigned: true,
    // A freeze, and the withdrawal of a standby, must succeed even at the bound of claims. The account's rate window
    // limits their number.
    isReducing: () => true,
  })
}

/**
 * Claims an identity. Throws Failure: duplicate_request if it is already claimed, outcome_unknown if an earlier claim
 * may be among lost records.
 */
export async function claimOnce(
  { store, clock }: { readonly store: Pick<Store, 'once'>; readonly clock: Clock },
  claim: Claim,
): Promise<void> {
  if (await store.once.claim(claim, clock.nowMs())) return
  if (await store.once.find(claim.identity)) throw new Failure('duplicate_request')
  throw new Failure('outcome_unknown', { next: CLAIMS_LOST })
}

const CLAIMS_LOST =
  'The newest records of this service were lost, so it may have been done before; now nothing was sent. Look what holds, and sign it anew in five minutes.'
