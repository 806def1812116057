import { sha256 as hash } from '@noble/hashes/sha2.js'

/** SHA-256 for browser code, which cannot use the server runtime's implementation. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return hash(bytes)
}
