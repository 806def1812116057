import { LIMITS } from '../../spec/limits.ts'
import { createChunkLines } from './chunk-lines.ts'
import type { Framing } from './framing.ts'

/** Shorter pieces are moved faster byte by byte than by a call of the runtime. */
const SHORT_BYTES = 32

/**
 * A body in chunks (RFC 9112, 7.1); extensions and trailers are passed over. The data of all chunks in a read is passed
 * on as one part. What frames the chunks may take a quarter of the bytes that they carry, and a fixed allowance. Throws an
 * Error for more.
 */
export function chunked(): Framing {
  const lines = createChunkLines()
  let left = 0
  let carriedBytes = 0
  let framingBytes = 0

  /** Where the framing ends that begins at an offset: at data, at the end of the body, or with the bytes. */
  function skipFraming(bytes: Buffer, from: number): number {
    let at = from
    while (at < bytes.length && left === 0 && !lines.isOver()) {
      left = lines.take(bytes[at] ?? 0)
      at += 1
    }
    framingBytes += at - from
    if (framingBytes > LIMITS.upstreamFramingMaxBytes + carriedBytes / 4) {
      throw new Error('chunks too small for their framing')
    }
    return at
  }

  return (bytes, pass) => {
    // The data is moved together in place: the bytes of a read belong to whoever it is passed to.
    let at = skipFraming(bytes, 0)
    const start = at
    let end = at
    while (at < bytes.length && left > 0) {
      const next = Math.min(bytes.length, at + left)
      move(bytes, { from: at, to: next, target: end })
      end += next - at
      left -= next - at
      carriedBytes += next - at
      at = left === 0 ? skipFraming(bytes, next) : next
    }
    if (end > start) pass(trimmed(bytes, start, end))
    return lines.isOver() ? bytes.subarray(at) : null
  }
}

type Move = { readonly from: number; readonly to: number; readonly target: number }

function move(bytes: Buffer, { from, to, target }: Move): void {
  if (from === target) return
  if (to - from > SHORT_BYTES) bytes.copyWithin(target, from, to)
  else for (let at = from; at < to; at += 1) bytes[target + at - from] = bytes[at] ?? 0
}

/** A part of a read, which keeps no more than twice its own memory alive. */
function trimmed(bytes: Buffer, start: number, end: number): Uint8Array {
  const part = bytes.subarray(start, end)
  return part.length * 2 < bytes.buffer.byteLength ? new Uint8Array(part) : part
}
