import type { Envelope } from '../../contract/envelope.ts'
import { LIMITS } from '../../contract/limits.ts'
import { signedText } from '../../core/crypto/signed-text.ts'
import { parseSignature } from '../../core/crypto/signing.ts'
import type { Verifier } from '../../core/crypto/verifier.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import { writeIdentity } from './write-ledger.ts'

/**
 * Throws expired_signature for a signed time that is too old, invalid_request for a signed time too far ahead. Both
 * failures state the parameter, the signed time and this service's time, so that the caller sees which clock is wrong.
 */
export function assertFresh(timestamp: string | number, nowMs: number, parameter: string): void {
  const signedAtMs = Number(timestamp)
  const ageMs = nowMs - signedAtMs
  if (Math.abs(ageMs) <= LIMITS.signatureAgeMaxMs) return
  throw new Failure(ageMs > 0 ? 'expired_signature' : 'invalid_request', {
    ...{ parameter, reason: 'clock', signedAtMs, serverAtMs: nowMs },
  })
}

/** A text that a trading key has signed. */
type Signed = { readonly key: string; readonly text: string; readonly signature: string }

/**
 * Throws invalid_request for a malformed key or signature, invalid_signature for a wrong signature. `prefix` precedes
 * the parameter's name.
 */
export function assertSignature(
  verifier: Pick<Verifier, 'verify'>,
  { key, text, signature }: Signed,
  prefix = '',
): void {
  const verdict = verifier.verify(key, text, signature)
  if (verdict === 'malformed_key') throw invalidParameter(`${prefix}key`)
  if (verdict === 'malformed_signature') throw invalidParameter(`${prefix}signature`)
  if (verdict === 'wrong') throw new Failure('invalid_signature')
}

/** Verifies the signature of a future call, so that a verifier with a memory of valid signatures knows it. */
export function rememberSignature(verifier: Pick<Verifier, 'verify'>, envelope: Envelope): void {
  const { key, signature } = envelope.auth
  verifier.verify(key, callText(envelope), signature)
}

/** The exact text that an envelope's signature covers. */
export function callText({ method, path, body, auth: { timestamp } }: Envelope): string {
  return signedText({ timestamp, method, path, body })
}

/** The identity of an envelope's write, see `writeIdentity`. Throws invalid_request for a malformed key. */
export function callIdentity(
  verifier: Pick<Verifier, 'keyBytes'>,
  { auth: { key } }: Envelope,
  text: string,
): string {
  const publicKey = verifier.keyBytes(key)
  if (!publicKey) throw invalidParameter('auth.key')
  return writeIdentity(publicKey, text)
}

/** The bytes of an envelope's signature. Throws invalid_request. */
export function signatureBytes({ auth: { signature: text } }: Envelope): Uint8Array {
  const signature = parseSignature(text)
  if (!signature) throw invalidParameter('auth.signature')
  return signature
}
