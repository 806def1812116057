/** Signatures that were found valid, known to all threads of this process. */
export type Verified = {
  readonly has: (publicKey: string, text: string, signature: string) => boolean
  /** Only for a signature that is valid. Takes the place of an older one. */
  readonly add: (publicKey: string, text: string, signature: string) => void
}

const PLACES = 1024
const DIGEST_BYTES = 32

/** Memory for signatures that were found valid, to be shared with other threads. */
export function verifiedMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(PLACES * DIGEST_BYTES)
}

/**
 * Signatures in shared memory, each as the SHA-256 of key, signature and text: with any byte changed it is another one. A
 * digest that another thread is writing meanwhile is not equal, and its signature is verified.
 */
export function createVerified(memory: SharedArrayBuffer): Verified {
  const digests = Buffer.from(memory)
  return {
    has: (...signed) => {
      const digest = digestOf(...signed)
      const at = placeOf(digest)
      return digests.compare(digest, 0, DIGEST_BYTES, at, at + DIGEST_BYTES) === 0
    },
    add: (...signed) => {
      const digest = digestOf(...signed)
      digests.set(digest, placeOf(digest))
    },
  }
}

/** Neither a key nor a signature has a space, so that no other three parts have the same text. */
function digestOf(publicKey: string, text: string, signature: string): Buffer {
  return new Bun.CryptoHasher('sha256').update(`${publicKey} ${signature} ${text}`).digest()
}

function placeOf(digest: Buffer): number {
  return (digest.readUInt32LE(0) % PLACES) * DIGEST_BYTES
}
