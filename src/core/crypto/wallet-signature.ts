import { secp256k1 } from '@noble/curves/secp256k1.js'
import { fromHex, toPrefixedHex } from '../hex.ts'
import { keccak256 } from './keccak.ts'

// A precomputed table of 520 points instead of 4,224 halves the time of a process's first signature; later signatures
// take 10% longer.
secp256k1.Point.BASE.precompute(4)

/**
 * The wallet that signed a 32-byte digest, as a lower-case address. The signature is `0x` and the 65 bytes r, s, v,
 * with v 27 or 28 (or 0 or 1, as some hardware wallets send). Null if malformed or not recoverable. A wrong signature
 * recovers to a different address, so compare the result.
 */
export function recoverSigner(digest: Uint8Array, signature: string): string | null {
  const bytes = SIGNATURE.test(signature) ? fromHex(signature) : null
  const recovery = bytes && recoveryBit(bytes.at(-1))
  if (!bytes || recovery === null) return null
  try {
    const parsed = secp256k1.Signature.fromBytes(
      Uint8Array.of(recovery, ...bytes.subarray(0, 64)),
      'recovered',
    )
    // (r, n - s) is a second encoding of the same signature. Wallets never produce it (EIP-2), so it counts as
    // tampered.
    if (parsed.hasHighS()) return null
    return publicKeyAddress(parsed.recoverPublicKey(digest).toBytes(false))
  } catch (error) {
    if (error instanceof Error) return null
    throw error
  }
}

/** The lower-case address of a 32-byte secp256k1 secret. Throws when the secret is out of the curve's range. */
export function toWalletAddress(secret: Uint8Array): string {
  return publicKeyAddress(secp256k1.getPublicKey(secret, false))
}

/**
 * The lower-case address of a secp256k1 public key: `0x` and the two coordinates in 128 hex characters. Null for a
 * point that is not on the curve.
 */
export function addressOfPublicKey(publicKey: string): string | null {
  const coordinates = /^0x([0-9a-fA-F]{128})$/.exec(publicKey)?.[1]
  const bytes = coordinates === undefined ? null : fromHex(`04${coordinates}`)
  return bytes && secp256k1.utils.isValidPublicKey(bytes, false) ? publicKeyAddress(bytes) : null
}

/**
 * Signs a 32-byte digest as wallets do: `0x` and r, s, v in hex, low s, v 27 or 28. Deterministic (RFC 6979).
 * Throws when the secret is out of the curve's range.
 */
export function signDigest(digest: Uint8Array, secret: Uint8Array): string {
  const signed = secp256k1.sign(digest, secret, { prehash: false, format: 'recovered' })
  const [recovery = 0] = signed
  return toPrefixedHex(Uint8Array.of(...signed.subarray(1), V_BASE + recovery))
}

/** A wallet's signature in lower case with v 27 or 28, as contracts require; null for malformed text. */
export function withLegacyRecovery(signature: string): string | null {
  const bytes = SIGNATURE.test(signature) ? fromHex(signature) : null
  const recovery = bytes && recoveryBit(bytes.at(-1))
  if (!bytes || recovery === null) return null
  return toPrefixedHex(Uint8Array.of(...bytes.subarray(0, 64), V_BASE + recovery))
}

/** The 65-byte form of a 64-byte signature (the compact form of EIP-2098); any other text unchanged. */
export function withRecovery(signature: string): string {
  const bytes = COMPACT.test(signature) ? fromHex(signature) : null
  if (!bytes) return signature
  const parity = (bytes[32] ?? 0) >> 7
  bytes[32] = (bytes[32] ?? 0) & 0x7f
  return toPrefixedHex(Uint8Array.of(...bytes, V_BASE + parity))
}

/** Whether a text is longer than any signature of a private key, as signatures of contract wallets are (ERC-1271, ERC-6492). */
export function isContractSignature(signature: string): boolean {
  return signature.length > SIGNATURE_CHARS && /^0x[0-9a-fA-F]+$/.test(signature)
}

/** Whether a text has the form of a wallet's signature; it is not verified. */
export function isWalletSignature(text: string): boolean {
  return SIGNATURE.test(text)
}

const SIGNATURE = /^0x[0-9a-fA-F]{130}$/
const SIGNATURE_CHARS = 132
const COMPACT = /^0x[0-9a-fA-F]{128}$/
const V_BASE = 27

function recoveryBit(v: number | undefined): number | null {
  if (v === 0 || v === V_BASE) return 0
  return v === 1 || v === V_BASE + 1 ? 1 : null
}

/** The address of an uncompressed public key: the last 20 bytes of the hash of its two coordinates, without the format byte. */
function publicKeyAddress(publicKey: Uint8Array): string {
  return toPrefixedHex(keccak256(publicKey.subarray(1)).subarray(-20))
}
