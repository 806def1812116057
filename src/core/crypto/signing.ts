import { fromBase58, toBase58 } from './base58.ts'

/**
 * Signs a text's UTF-8 bytes with a 32-byte Ed25519 secret (RFC 8032, deterministic): 86 characters of base64url,
 * no padding. Throws RangeError when the secret has another length.
 */
export function signText(text: string, secret: Uint8Array): string {
  return createSigner(secret)(text)
}

/**
 * A signing function for many texts. It creates the key object once, which costs as much as two signatures. Throws
 * RangeError like `signText`.
 */
export function createSigner(secret: Uint8Array): (text: string) => string {
  const key = toPrivateKey(secret)
  return (text) => nodeCrypto().sign(null, Buffer.from(text), key).toString('base64url')
}

/** The public key of a 32-byte secret in wire form: `ed25519:<base58>`. Throws RangeError like `signText`. */
export function wirePublicKey(secret: Uint8Array): string {
  const spki = nodeCrypto()
    .createPublicKey(toPrivateKey(secret))
    .export({ format: 'der', type: 'spki' })
  return KEY_SCHEME + toBase58(spki.subarray(-KEY_BYTES))
}

/** The 32 bytes of `ed25519:<base58>`; null unless the text is their canonical encoding. */
export function parsePublicKey(key: string): Uint8Array | null {
  if (!key.startsWith(KEY_SCHEME)) return null
  const bytes = fromBase58(key.slice(KEY_SCHEME.length))
  return bytes?.length === KEY_BYTES ? bytes : null
}

/** The 64 bytes of a base64url signature without padding; null unless the text is their canonical encoding. */
export function parseSignature(text: string): Uint8Array | null {
  if (text.length !== SIGNATURE_CHARS) return null
  const bytes = Buffer.from(text, 'base64url')
  // The decoder skips invalid characters and ignores the four spare bits. Re-encoding detects both.
  return bytes.toString('base64url') === text ? bytes : null
}

const KEY_SCHEME = 'ed25519:'
const KEY_BYTES = 32
/** 64 bytes need 86 characters of base64 without padding. */
const SIGNATURE_CHARS = 86
/** DER of a PKCS #8 version 0 Ed25519 private key, up to its 32 bytes (RFC 8410, 7). */
const PKCS8_PREFIX = Uint8Array.fromHex('302e020100300506032b657004220420')

function toPrivateKey(secret: Uint8Array) {
  if (secret.length !== KEY_BYTES) throw new RangeError('an Ed25519 secret is 32 bytes')
  const key = Buffer.concat([PKCS8_PREFIX, secret])
  return nodeCrypto().createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}

/** The runtime's cryptography module. It is loaded at first use, which saves milliseconds of a start. */
export function nodeCrypto(): NodeCrypto {
  loaded ??= process.getBuiltinModule('node:crypto')
  return loaded
}

type NodeCrypto = typeof import('node:crypto')

let loaded: NodeCrypto | undefined
