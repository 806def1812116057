import type { StoredResponse } from '../core/ports.ts'

/** Bytes of the checksum before a kept answer. */
const SEAL_BYTES = 4

/** An answer with its checksum before it: over the key, the time and the body, so that none stands for another. */
export function sealed(key: string, { bytes, fetchedAtMs }: StoredResponse): StoredResponse {
  const whole = new Uint8Array(SEAL_BYTES + bytes.byteLength)
  new DataView(whole.buffer).setUint32(0, checksumOf(key, fetchedAtMs, bytes))
  whole.set(bytes, SEAL_BYTES)
  return { bytes: whole, fetchedAtMs }
}

/** The answer's own bytes; null when they are not what was sealed. */
export function unsealed(key: string, { bytes, fetchedAtMs }: StoredResponse): Uint8Array | null {
  if (bytes.byteLength < SEAL_BYTES) return null
  const body = bytes.subarray(SEAL_BYTES)
  const seal = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  return seal === checksumOf(key, fetchedAtMs, body) ? body : null
}

function checksumOf(key: string, fetchedAtMs: number, body: Uint8Array): number {
  return Bun.hash.crc32(body, Bun.hash.crc32(`${fetchedAtMs} ${key}`))
}
