import { sha256Bytes } from '../digest.ts'

/** Verified signatures, shared by all threads of this process. */
export type VerifiedSignatures = {
  readonly has: (publicKey: string, text: string, signature: string) => boolean
  /** Adds a valid signature and overwrites an older signature. */
  readonly add: (publicKey: string, text: string, signature: string) => void
}

const DIGEST_SLOTS = 1024
const DIGEST_BYTES = 32

/** Allocates the memory in which threads share verified signatures. */
export function verifiedSignatureMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(DIGEST_SLOTS * DIGEST_BYTES)
}

/**
 * Verified signatures in shared memory, each as the SHA-256 of key, signature and text, so that a change of any byte is
 * a miss. If another thread is just writing a digest, the digest is also a miss, and its signature is verified again.
 */
export function createVerifiedSignatures(memory: SharedArrayBuffer): VerifiedSignatures {
  const digests = Buffer.from(memory)
  return {
    has: (...signed) => {
      const digest = signatureDigest(...signed)
      const at = slotOffset(digest)
      return digests.compare(digest, 0, DIGEST_BYTES, at, at + DIGEST_BYTES) === 0
    },
    add: (...signed) => {
      const digest = signatureDigest(...signed)
      digests.set(digest, slotOffset(digest))
    },
  }
}

/** Keys and signatures contain no spaces, so the joined text is unambiguous. */
function signatureDigest(publicKey: string, text: string, signature: string): Buffer {
  return sha256Bytes(`${publicKey} ${signature} ${text}`)
}

function slotOffset(digest: Buffer): number {
  return (digest.readUInt32LE(0) % DIGEST_SLOTS) * DIGEST_BYTES
}
