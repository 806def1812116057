import type { KeyObject } from 'node:crypto'
import { Point } from '@noble/ed25519'
import { createBoundedMap } from '../bounded-map.ts'
import { reportUnexpected } from '../loop/guarded.ts'
import { nodeCrypto, parsePublicKey, parseSignature } from './signing.ts'
import { createVerifiedSignatures } from './verified-signatures.ts'

/**
 * `malformed_…`: the key or signature has an invalid form. `wrong`: the signature is well-formed, but not by this key
 * over this text.
 */
type Verification = 'valid' | 'malformed_key' | 'malformed_signature' | 'wrong'

export type Verifier = {
  /** Verifies a base64url signature of the text by the key `ed25519:<base58>`. Never throws. */
  readonly verify: (publicKey: string, text: string, signature: string) => Verification
  /** The 32 bytes of `ed25519:<base58>`; null for a malformed key. */
  readonly keyBytes: (publicKey: string) => Uint8Array | null
}

type VerifierOptions = {
  readonly keysMax: number
  /** Memory shared with other threads of this process. Absent or null: not shared. */
  readonly memory?: SharedArrayBuffer | null
}

type Judged = { readonly key: KeyObject; readonly bytes: Uint8Array }

/**
 * Creates a strict Ed25519 verifier (RFC 8032). node:crypto verifies about 25 times faster than JavaScript, but accepts
 * any 32 bytes as a key. For the identity key, for example, anyone can sign. Therefore @noble/ed25519 checks each key
 * first; the results of the latest `keysMax` keys are kept. With the memory of `verifiedSignatureMemory`, threads share verified
 * signatures.
 */
export function createVerifier({ keysMax, memory = null }: VerifierOptions): Verifier {
  const verified = memory && createVerifiedSignatures(memory)
  const judged = createBoundedMap<string, Judged | null>(keysMax)

  function judge(publicKey: string): Judged | null {
    const known = judged.get(publicKey)
    if (known !== undefined) {
      judged.renew(publicKey)
      return known
    }
    const bytes = parsePublicKey(publicKey)
    if (!bytes) return null
    const judgement = isStrictPoint(bytes) ? { key: ed25519KeyObject(bytes), bytes } : null
    judged.put(publicKey, judgement)
    return judgement
  }

  return {
    verify(publicKey, text, signature) {
      const signatureBytes = parseSignature(signature)
      if (!signatureBytes) return 'malformed_signature'
      const known = judge(publicKey)
      if (!known) return 'malformed_key'
      if (verified?.has(publicKey, text, signature)) return 'valid'
      const isValid = nodeCrypto().verify(null, Buffer.from(text), known.key, signatureBytes)
      if (isValid) verified?.add(publicKey, text, signature)
      return isValid ? 'valid' : 'wrong'
    },
    keyBytes: (publicKey) => judge(publicKey)?.bytes ?? null,
  }
}

/** DER of an Ed25519 public key, up to its 32 bytes (RFC 8410, 4). */
const SPKI_PREFIX = Uint8Array.fromHex('302a300506032b6570032100')

/** The node:crypto key object of a 32-byte public key, which is not checked. */
export function ed25519KeyObject(bytes: Uint8Array): KeyObject {
  const key = Buffer.concat([SPKI_PREFIX, bytes])
  return nodeCrypto().createPublicKey({ key, format: 'der', type: 'spki' })
}

/** Whether 32 bytes are the canonical encoding (RFC 8032, 5.1.3) of a point that is not of small order (1, 2, 4 or 8). */
function isStrictPoint(bytes: Uint8Array): boolean {
  try {
    return !Point.fromBytes(bytes, false).isSmallOrder()
  } catch (error) {
    reportUnexpected('gateway', error, Error)
    return false
  }
}
