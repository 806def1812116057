import { sha256 as hash } from '@noble/hashes/sha2.js'

/** SHA-256 for browsers, which lack the runtime's own. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return hash(bytes)
}
