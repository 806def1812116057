import type { Method } from '../../contract/allowlist.ts'
import type { Envelope } from '../../contract/envelope.ts'

/**
 * The venue's names for headers, content types and body fields, which no other module contains. Source: the venue's
 * registration and authentication API.
 */

const CONTENT_TYPES: Record<Method, string> = {
  GET: 'application/x-www-form-urlencoded',
  DELETE: 'application/x-www-form-urlencoded',
  POST: 'application/json',
  PUT: 'application/json',
}

/** The headers of a public call. */
export function publicHeaders(method: Method): Record<string, string> {
  return { 'content-type': CONTENT_TYPES[method] }
}

/** The four headers of a caller's signature, and the content type that the venue requires. */
export function signedHeaders(method: Method, auth: Envelope['auth']): Record<string, string> {
  return {
    'content-type': CONTENT_TYPES[method],
    'orderly-account-id': auth.accountId,
    'orderly-key': auth.key,
    'orderly-signature': auth.signature,
    'orderly-timestamp': auth.timestamp,
  }
}

/** Whether the headers carry a caller's signature. */
export function areSigned(headers: Readonly<Record<string, string>>): boolean {
  return 'orderly-signature' in headers || 'orderly-key' in headers
}

export const REGISTRATION_PATHS = {
  nonce: '/v1/registration_nonce',
  register: '/v1/register_account',
  bindKey: '/v1/orderly_key',
} as const

type RegistrationMessage = {
  readonly chainId: number
  readonly timestamp: number
  readonly registrationNonce: string
}

type BindingMessage = {
  readonly chainId: number
  readonly tradingKey: string
  readonly scope: string
  readonly timestamp: number
  readonly expiration: number
}

/** The struct that a wallet signs to register an account, in the venue's field names and order. */
export function registrationStruct(brokerId: string, message: RegistrationMessage) {
  const { chainId, timestamp, registrationNonce } = message
  return { brokerId, chainId, timestamp, registrationNonce }
}

/** The struct that a wallet signs to bind a key, in the venue's field names and order. */
export function bindingStruct(brokerId: string, message: BindingMessage) {
  const { chainId, tradingKey, scope, timestamp, expiration } = message
  return { brokerId, chainId, orderlyKey: tradingKey, scope, timestamp, expiration }
}

/** The body of a call that a wallet has signed. */
export function walletBody(message: object, signature: string, address: string): string {
  return JSON.stringify({ message, signature, userAddress: address })
}

/** The path whose answer says whether an address has an account with the operator. */
export function accountLookupPath(address: string, brokerId: string): string {
  return `/v1/get_account?address=${address}&broker_id=${encodeURIComponent(brokerId)}`
}

/** The path whose answer says whether a key is bound to an account. */
export function keyLookupPath(accountId: string, tradingKey: string): string {
  return `/v1/get_orderly_key?account_id=${accountId}&orderly_key=${encodeURIComponent(tradingKey)}`
}
