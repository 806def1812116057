import { LIMITS } from '../../contract/limits.ts'
import type { MandateBody, WebhookBody } from '../../contract/wallet-messages.ts'
import { mainAccountId } from '../../core/crypto/account-id.ts'
import { OFF_CHAIN_CONTRACT } from '../../core/crypto/typed-data.ts'
import {
  isContractSignature,
  recoverSigner,
  withRecovery,
} from '../../core/crypto/wallet-signature.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import { type Clock, type Store, type Upstream, UpstreamError } from '../../core/ports.ts'
import { isAlreadyExists, openEnvelope } from '../../upstream/wire/envelope.ts'
import { certainlyNotDone, failureOfUpstreamError } from '../../upstream/wire/failures.ts'
import { publicHeaders } from '../../upstream/wire/wire.ts'
import type { Controls } from '../controls/controls.ts'
import { assertFresh } from '../relay/signed.ts'
import type { Scrub } from '../scrub/scrub.ts'
import type { Operator } from '../venue/operator-call.ts'
import { parsePayload, type VenueAccess } from '../venue/read.ts'

/** The EIP-712 domain of messages that are never sent to a chain. */
export function offChainDomain(chainId: number) {
  return { chainId, verifyingContract: OFF_CHAIN_CONTRACT }
}

/** Throws expired_signature for a message older than five minutes, invalid_request for a message from the future. */
export function assertWalletTime(timestampMs: number, nowMs: number): void {
  assertFresh(timestampMs, nowMs, 'message.timestamp')
}

type Service = Pick<Operator, 'hosts'>

/** Throws forbidden for a host name that is not this service's. */
export function assertOwnHost({ hosts }: Service, host: string): void {
  if (!hosts.includes(host))
    throw new Failure('forbidden', { reason: 'foreign_host', setting: 'PREPD_ALLOWED_HOSTS' })
}

/** Throws invalid_request for a message that was signed for a different service. */
export function assertForService({ hosts }: Service, message: { readonly service: string }): void {
  if (!hosts.includes(message.service)) throw invalidParameter('message.service', 'conflicting')
}

type Named = Pick<WalletCallAccess, 'controls'> & {
  readonly operator: Service & Pick<Operator, 'brokerId'>
}

/**
 * The account that a wallet's message names. The caller checks the signature afterwards. Throws Failure: forbidden for
 * a blocked wallet, expired_signature, invalid_request if the message names a different account or service.
 */
export function accountNamed(
  { operator, controls }: Named,
  { address, message }: MandateBody | WebhookBody,
  nowMs: number,
): string {
  controls.assertParty(address)
  assertWalletTime(message.timestamp, nowMs)
  const accountId = mainAccountId(address, operator.brokerId)
  if (message.account.toLowerCase() !== accountId)
    throw invalidParameter('message.account', 'conflicting')
  assertForService(operator, message)
  return accountId
}

/** Throws invalid_signature unless the private key of the wallet at `address` made the signature of the digest. */
export function assertWalletSigned(
  digest: Uint8Array,
  { signature, address }: { readonly signature: string; readonly address: string },
): void {
  if (isContractSignature(signature)) {
    const next = 'Sign with a wallet that has a private key. Contract wallets are not supported.'
    throw new Failure('invalid_signature', {
      ...{ parameter: 'signature', reason: 'contract_wallet', next },
    })
  }
  if (recoverSigner(digest, withRecovery(signature)) !== address.toLowerCase())
    throw new Failure('invalid_signature')
}

type WalletCall = {
  readonly path: string
  readonly body: string
  /** Releases the used nonce or claim if the venue certainly did not act on the call. */
  readonly undo: () => Promise<void>
}

/** The outcome of a wallet-signed message, with the payload if the venue accepted it. */
export type WalletOutcome =
  | { readonly kind: 'accepted'; readonly payload: unknown }
  | { readonly kind: 'already' }
  | { readonly kind: 'unknown' }

/** Sends a wallet-signed message, once. Throws the venue's definite refusals as Failure. */
export async function sendWallet(
  { upstream }: VenueAccess,
  call: WalletCall,
): Promise<WalletOutcome> {
  try {
    const response = await upstream.send({
      host: 'main',
      method: 'POST',
      path: call.path,
      headers: publicHeaders('POST'),
      body: call.body,
      lane: 'write',
      deadlineMs: LIMITS.upstreamWriteDeadlineMs,
    })
    if (isAlreadyExists(response)) return { kind: 'already' }
    const text = openEnvelope(response, 'data', 'write', { missing: 'empty' })
    return { kind: 'accepted', payload: parsePayload(text) }
  } catch (error) {
    if (certainlyNotDone(error)) await call.undo()
    const failure = error instanceof UpstreamError ? failureOfUpstreamError(error, 'write') : error
    if (failure instanceof Failure && failure.code === 'outcome_unknown') return { kind: 'unknown' }
    throw failure
  }
}

/** Access for calls that a wallet signs. */
export type WalletCallAccess = {
  readonly upstream: Upstream
  readonly clock: Clock
  readonly venueClock: Clock
  readonly store: Pick<Store, 'nonces' | 'once' | 'proofs'>
  readonly scrub: Scrub
  readonly operator: Pick<Operator, 'brokerId'>
  readonly controls: Pick<Controls, 'assertParty'>
}
