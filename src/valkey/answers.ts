import type { StoredResponse } from '../core/ports.ts'

/**
 * Reads a kept answer out of its bytes, which begin with the time of its fetch by the engine's clock and by the clock of
 * the instance that wrote it. `engineNowMs` and `nowMs` are the same moment by the engine's clock and by ours. Null for
 * other bytes.
 */
export function readAnswer(
  value: unknown,
  engineNowMs: unknown,
  nowMs: number,
): StoredResponse | null {
  if (!Buffer.isBuffer(value)) return null
  const head = /^(\d{1,16}) (\d{1,16}) /.exec(value.toString('latin1', 0, HEAD_BYTES))
  if (!head) return null
  const fetchedAtMs = Number(head[2])
  const ageMs = Math.max(0, Number(engineNowMs) - Number(head[1]))
  const bytes = value.subarray(head[0].length)
  return { bytes, fetchedAtMs, aheadMs: fetchedAtMs + ageMs - nowMs }
}

/** Two times of at most sixteen digits, and a space after each. */
export const HEAD_BYTES = 34

/** What an answer is kept by. */
export function answerKey(generation: string, key: string): string {
  return `prepd:answer:${generation}:${key}`
}
