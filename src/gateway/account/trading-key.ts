import { LIMITS } from '../../contract/limits.ts'
import type { TradingKeyBody } from '../../contract/wallet-messages.ts'
import { claimEndMs } from '../../core/claim.ts'
import { mainAccountId } from '../../core/crypto/account-id.ts'
import { parsePublicKey } from '../../core/crypto/signing.ts'
import { typedDataDigest } from '../../core/crypto/typed-data.ts'
import { withRecovery } from '../../core/crypto/wallet-signature.ts'
import { sha256Hex } from '../../core/digest.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import { toHex } from '../../core/hex.ts'
import { isObject } from '../../core/json.ts'
import {
  bindingStruct,
  keyLookupPath,
  REGISTRATION_PATHS,
  walletBody,
} from '../../upstream/wire/wire.ts'
import { type Answer, privateAnswer } from '../cache/answer.ts'
import { claimOnce } from '../relay/service-act.ts'
import { confirmByVenue, noneIfNotFound, readPayload } from '../venue/read.ts'
import {
  assertWalletSigned,
  assertWalletTime,
  offChainDomain,
  sendWallet,
  type WalletCallAccess,
  type WalletOutcome,
} from './wallet-call.ts'

/**
 * Binds the public half of a trading key to the wallet's account: `{bound: true, expiration}` (ms). Each signed binding
 * is accepted once. Throws Failure: expired_signature, invalid_request, invalid_signature, duplicate_request,
 * outcome_unknown, or the failure that the venue's answer means.
 */
export async function bindTradingKey(
  deps: WalletCallAccess,
  body: TradingKeyBody,
): Promise<Answer> {
  const nowMs = deps.clock.nowMs()
  const { chainId, timestamp, expiration, tradingKey } = body.message
  deps.controls.assertParty(body.address)
  assertWalletTime(timestamp, nowMs)
  assertExpiration(deps, expiration, nowMs)
  if (!parsePublicKey(tradingKey)) throw invalidParameter('message.tradingKey')
  const message = bindingStruct(deps.operator.brokerId, body.message)
  const digest = typedDataDigest('AddOrderlyKey', message, offChainDomain(chainId))
  assertWalletSigned(digest, body)
  const { address } = body
  const identity = await claimDigest(deps, 'bind', { digest, address, timestampMs: timestamp })
  const accountId = mainAccountId(body.address, deps.operator.brokerId)
  const outcome = await sendWallet(deps, {
    path: REGISTRATION_PATHS.bindKey,
    body: walletBody(message, withRecovery(body.signature), body.address),
    undo: () => deps.store.once.release(identity),
  }).catch(async (error: unknown) => {
    if (error instanceof Failure && error.code === 'invalid_request')
      assertUsable(deps, await confirmByVenue(() => readBoundKey(deps, accountId, tradingKey)))
    throw error
  })
  if (!isBinding(outcome, tradingKey)) await assertBound(deps, accountId, tradingKey, expiration)
  await deps.store.proofs.add(accountId, tradingKey, deps.clock.nowMs())
  return privateAnswer(deps, { bound: true, expiration })
}

/** Throws invalid_request unless the key expires in the future: at most 365 days ahead, with a virtual clock 36,500 days. */
export function assertExpiration(
  { clock, venueClock }: Pick<WalletCallAccess, 'clock' | 'venueClock'>,
  expirationMs: number,
  nowMs: number,
  parameter = 'message.expiration',
): void {
  const lifeMaxMs = venueClock === clock ? LIMITS.keyLifeMaxMs : LIMITS.keyLifeVirtualMaxMs
  if (expirationMs <= nowMs || expirationMs > nowMs + lifeMaxMs) {
    throw invalidParameter(parameter, 'out_of_range')
  }
}

type SignedDigest = {
  readonly digest: Uint8Array
  readonly address: string
  readonly timestampMs: number
}

/**
 * Claims a message that a wallet has signed, so that it is used once. The claim is by digest, because one signature has
 * several valid encodings. Returns the identity that releases the claim. Throws the failures of `claimOnce`, and
 * expired_signature.
 */
export async function claimDigest(
  deps: Pick<WalletCallAccess, 'store' | 'clock'>,
  what: 'bind' | 'webhook',
  { digest, address, timestampMs }: SignedDigest,
): Promise<string> {
  const identity = sha256Hex(`${what}:${address.toLowerCase()}:${toHex(digest)}`)
  const expiresAtMs = claimEndMs(timestampMs)
  await claimOnce(deps, { identity, sinceMs: timestampMs, expiresAtMs, isSigned: true })
  try {
    // Checks the time again, because the claim takes time, and the process may have been suspended.
    assertWalletTime(timestampMs, deps.clock.nowMs())
  } catch (error) {
    await deps.store.once.release(identity)
    throw error
  }
  return identity
}

/** Whether the venue accepted the message and names no other key. */
function isBinding(outcome: WalletOutcome, tradingKey: string): boolean {
  if (outcome.kind !== 'accepted') return false
  const { payload } = outcome
  const named = isObject(payload) ? (payload['orderly_key'] ?? tradingKey) : tradingKey
  return named === tradingKey
}

// Throws outcome_unknown unless the venue confirms that the key is bound with this expiration.
async function assertBound(
  deps: WalletCallAccess,
  accountId: string,
  tradingKey: string,
  expiration: number,
) {
  const row = await confirmByVenue(() => readBoundKey(deps, accountId, tradingKey))
  assertUsable(deps, row)
  if (row && Number(row['expiration']) === expiration) return
  throw new Failure('outcome_unknown', {
    ...(row !== undefined && { keyBound: row !== null }),
    next: 'Read account.keyInfo before you bind again.',
  })
}

type KeyRow = Readonly<Record<string, unknown>> | null | undefined

/** Throws invalid_request for a key that has expired or was removed, because the venue never binds such a key again. */
function assertUsable({ clock }: Pick<WalletCallAccess, 'clock'>, row: KeyRow): void {
  if (!row) return
  const { expiration, key_status: status = 'ACTIVE' } = row
  if (status === 'ACTIVE' && !(Number(expiration) <= clock.nowMs())) return
  throw invalidParameter('message.tradingKey', 'spent', {
    next: 'Make a new key pair. A key that expired or was revoked cannot be bound again.',
  })
}

async function readBoundKey(deps: WalletCallAccess, accountId: string, tradingKey: string) {
  const path = keyLookupPath(accountId, tradingKey)
  const row = await readPayload(deps, { path }).catch(noneIfNotFound)
  return isObject(row) ? row : null
}
