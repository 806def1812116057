import { keccak256 } from '../../src/core/crypto/keccak.ts'
import { signedText } from '../../src/core/crypto/signed-text.ts'
import { signText } from '../../src/core/crypto/signing.ts'
import { OFF_CHAIN_CONTRACT, typedDataDigest } from '../../src/core/crypto/typed-data.ts'
import { signDigest, toWalletAddress } from '../../src/core/crypto/wallet-signature.ts'
import type { VenueRequest } from '../../src/simulator/messages/message.ts'

export const BROKER_ID = 'demo'
const CHAIN_ID = 421_614

/** Who signs private calls. */
export type Auth = {
  readonly accountId: string
  readonly publicKey: string
  readonly secret: Uint8Array
}

export type Unsigned = {
  readonly method: string
  readonly path: string
  readonly timestampMs: number
  readonly body?: string
}

/** A private request as an honest client sends it. */
export function signed(auth: Auth, { method, path, timestampMs, body }: Unsigned): VenueRequest {
  const timestamp = String(timestampMs)
  const isBodied = method === 'POST' || method === 'PUT'
  return {
    method,
    path,
    ...(body !== undefined && { body }),
    headers: {
      'content-type': isBodied ? 'application/json' : 'application/x-www-form-urlencoded',
      'orderly-account-id': auth.accountId,
      'orderly-key': auth.publicKey,
      'orderly-timestamp': timestamp,
      'orderly-signature': signText(signedText({ timestamp, method, path, body }), auth.secret),
    },
  }
}

export function publicGet(path: string): VenueRequest {
  return { method: 'GET', path, headers: {} }
}

export function publicPost(path: string, body: unknown): VenueRequest {
  return {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}

/** A wallet-signed registration. */
export function registration(
  wallet: Uint8Array,
  registrationNonce: string,
  wallMs: number,
  brokerId = BROKER_ID,
): VenueRequest {
  const message = { brokerId, chainId: CHAIN_ID, timestamp: wallMs, registrationNonce }
  const digest = typedDataDigest('Registration', message, DOMAIN)
  const signature = signDigest(digest, wallet)
  return publicPost('/v1/register_account', {
    message,
    signature,
    userAddress: toWalletAddress(wallet),
  })
}

export type Binding = {
  readonly publicKey: string
  readonly scope: string
  readonly brokerId: string
  readonly wallMs: number
  readonly expiresAtMs: number
}

export function binding(
  wallet: Uint8Array,
  { publicKey, scope, brokerId, wallMs, expiresAtMs }: Binding,
): VenueRequest {
  const message = {
    brokerId,
    chainId: CHAIN_ID,
    orderlyKey: publicKey,
    scope,
    timestamp: wallMs,
    expiration: expiresAtMs,
  }
  const signature = signDigest(typedDataDigest('AddOrderlyKey', message, DOMAIN), wallet)
  return publicPost('/v1/orderly_key', { message, signature, userAddress: toWalletAddress(wallet) })
}

export type VaultAsking = {
  /** 0 and 1 are a liquidity provider's deposit and withdrawal. */
  readonly payloadType: number
  readonly nonce: string
  readonly vaultId: string
  /** Micro-USDC, or micro-shares. */
  readonly amount: number
  readonly dexBrokerId?: string
  readonly token?: string
  readonly receiver?: string
}

/** A wallet-signed request to a vault; `overrides` replaces fields after signing. */
export function vaultRequest(
  wallet: Uint8Array,
  asking: VaultAsking,
  overrides: object = {},
): VenueRequest {
  const userAddress = toWalletAddress(wallet)
  const signed = {
    receiver: userAddress,
    token: 'USDC',
    dexBrokerId: BROKER_ID,
    ...asking,
    amount: String(asking.amount),
  }
  const domain = { chainId: CHAIN_ID, verifyingContract: OFF_CHAIN_CONTRACT }
  const signature = signDigest(typedDataDigest('DexRequest', signed, domain), wallet)
  const message = { ...signed, chainId: CHAIN_ID, chainType: 'EVM', ...overrides }
  const { verifyingContract } = domain
  return publicPost('/v1/sv_operation_request', {
    message,
    signature,
    userAddress,
    verifyingContract,
  })
}

/** The secret of the wallet or key that a name stands for. */
export function secretOf(name: string): Uint8Array {
  return keccak256(Buffer.from(name))
}

const DOMAIN = { chainId: CHAIN_ID, verifyingContract: OFF_CHAIN_CONTRACT }
