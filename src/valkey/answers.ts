import type { StoredResponse } from '../core/ports.ts'

/** What a kept answer is written as: when it was fetched, a space, and its bytes. */
export function answerBytes({ bytes, fetchedAtMs }: StoredResponse): Buffer {
  return Buffer.concat([Buffer.from(`${fetchedAtMs} `), bytes])
}

/** Null for what was not written so. */
export function readAnswer(value: unknown): StoredResponse | null {
  if (!Buffer.isBuffer(value)) return null
  const cut = value.subarray(0, HEAD_BYTES).indexOf(' ')
  const fetchedAtMs = Number(value.toString('latin1', 0, cut))
  if (cut < 1 || !Number.isSafeInteger(fetchedAtMs)) return null
  return { bytes: value.subarray(cut + 1), fetchedAtMs }
}

/** A time has at most sixteen digits. */
export const HEAD_BYTES = 17

/** What an answer is kept by. */
export function answerKey(generation: string, key: string): string {
  return `prepd:answer:${generation}:${key}`
}
