import type { StoredResponse } from '../../core/ports.ts'

/** Size of the checksum in front of a cached answer. */
const CHECKSUM_BYTES = 4

/**
 * An answer with its checksum in front. The checksum covers the key, the time and the body, so that a stored answer
 * cannot be mistaken for a different one.
 */
export function withChecksum(key: string, { bytes, fetchedAtMs }: StoredResponse): StoredResponse {
  const whole = new Uint8Array(CHECKSUM_BYTES + bytes.byteLength)
  new DataView(whole.buffer).setUint32(0, responseChecksum(key, fetchedAtMs, bytes))
  whole.set(bytes, CHECKSUM_BYTES)
  return { bytes: whole, fetchedAtMs }
}

/** The answer's own bytes; null when the checksum does not match. */
export function verifyChecksum(
  key: string,
  { bytes, fetchedAtMs }: StoredResponse,
): Uint8Array | null {
  if (bytes.byteLength < CHECKSUM_BYTES) return null
  const body = bytes.subarray(CHECKSUM_BYTES)
  const checksum = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  return checksum === responseChecksum(key, fetchedAtMs, body) ? body : null
}

function responseChecksum(key: string, fetchedAtMs: number, body: Uint8Array): number {
  return Bun.hash.crc32(body, Bun.hash.crc32(`${fetchedAtMs} ${key}`))
}
