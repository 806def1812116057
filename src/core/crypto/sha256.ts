import { sha256 as hash } from '@noble/hashes/sha2.js'

/** SHA-256, where the runtime's own is not there: in a browser. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return hash(bytes)
}
