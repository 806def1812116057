import { LIMITS } from '../../contract/limits.ts'

/**
 * Takes the bytes of a body as they arrive, split at any point, and passes the content on. Returns null while the body
 * is incomplete, then the bytes after its end. Throws an Error for an invalid body.
 */
export type BodyFraming = (bytes: Buffer, pass: (part: Uint8Array) => void) => Buffer | null

/** Returned when no bytes follow a complete body. */
export const NO_BYTES_LEFT: Buffer = Buffer.alloc(0)

/** A body of a fixed length. */
export function fixedLengthBody(length: number): BodyFraming {
  let left = length
  return (bytes, pass) => {
    // Fast path: most bodies arrive whole, with no bytes after them.
    if (bytes.length === left && left > 0) {
      left = 0
      pass(bytes)
      return NO_BYTES_LEFT
    }
    const part = bytes.subarray(0, left)
    left -= part.length
    if (part.length > 0) pass(part)
    return left === 0 ? bytes.subarray(part.length) : null
  }
}

/** A body that ends when the connection closes. */
export const untilClose: BodyFraming = (bytes, pass) => {
  if (bytes.length > 0) pass(bytes)
  return null
}

/** The pending bytes, followed by the newly arrived bytes. */
export function joinedPending(pending: Buffer, bytes: Buffer): Buffer {
  return pending.length === 0 ? bytes : Buffer.concat([pending, bytes])
}

/** Copying fewer bytes than this one by one is faster than a call of the runtime. */
const SHORT_BYTES = 32

/**
 * A chunked body (RFC 9112, 7.1). Skips extensions and trailers. Passes the content of all chunks in a read on as one
 * part. Throws an Error if the framing takes more than a quarter of the content's bytes plus a fixed allowance.
 */
export function chunked(): BodyFraming {
  const lines = createChunkLines()
  let left = 0
  let carriedBytes = 0
  let framingBytes = 0

  /** Skips framing from an offset. Returns the offset at which data begins, the body ends, or the bytes end. */
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
    // Moves the chunks' data together within the read's own buffer. The receiver owns that buffer, so this is safe.
    let at = skipFraming(bytes, 0)
    const start = at
    let end = at
    while (at < bytes.length && left > 0) {
      const next = Math.min(bytes.length, at + left)
      moveBytes(bytes, { from: at, to: next, target: end })
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

function moveBytes(bytes: Buffer, { from, to, target }: Move): void {
  if (from === target) return
  if (to - from > SHORT_BYTES) bytes.copyWithin(target, from, to)
  else for (let at = from; at < to; at += 1) bytes[target + at - from] = bytes[at] ?? 0
}

/** A part of a read. The part is copied if it is less than half of its buffer, which it would keep in memory. */
function trimmed(bytes: Buffer, start: number, end: number): Uint8Array {
  const part = bytes.subarray(start, end)
  return part.length * 2 < bytes.buffer.byteLength ? new Uint8Array(part) : part
}

/** Parses the lines around chunks byte by byte, so that the cost does not depend on how reads are split. */
type ChunkLines = {
  /**
   * Takes the next byte. Returns the number of data bytes that follow, or 0 while the framing continues. Throws an
   * Error for an invalid byte or an overlong line.
   */
  readonly take: (byte: number) => number
  /** Whether the last line of the body has ended. */
  readonly isOver: () => boolean
}

const DIGITS_MAX = 8
/** Maximum length in bytes of a chunk's size line, extensions included. */
const LINE_MAX_BYTES = 256

const TAB = 9
const LF = 10
const CR = 13
const SPACE = 32
const SEMICOLON = 59
const DELETE = 127

/** The value of each byte as a hexadecimal digit; NaN for any other byte. */
const DIGITS = Float64Array.from({ length: 256 }, (_, code) =>
  Number.parseInt(String.fromCharCode(code), 16),
)

type Phase =
  | 'size'
  | 'space'
  | 'extension'
  | 'size end'
  | 'data end'
  | 'data line feed'
  | 'trailer start'
  | 'trailer'
  | 'trailer end'
  | 'last line feed'
  | 'over'

/** Starts parsing at the size line of a body's first chunk. */
function createChunkLines(): ChunkLines {
  let phase: Phase = 'size'
  let size = 0
  let lineBytes = 0

  /** The state machine. For each phase, the function returns the next phase after a byte. */
  const steps: Readonly<Record<Phase, (byte: number) => Phase>> = {
    size: (byte) => {
      const digit = DIGITS[byte] ?? Number.NaN
      if (Number.isNaN(digit))
        return lineBytes > 1 ? spaced(byte) : refuse('a chunk without a size')
      if (lineBytes > DIGITS_MAX) refuse('a chunk without a size')
      size = size * 16 + digit
      return 'size'
    },
    space: spaced,
    extension: (byte) => {
      if (byte === CR) return 'size end'
      const isVisible = byte === TAB || (byte >= SPACE && byte !== DELETE)
      return isVisible ? 'extension' : refuse('a chunk without a size')
    },
    'size end': (byte) => {
      if (byte !== LF) refuse('a chunk without a size')
      return size === 0 ? 'trailer start' : 'data end'
    },
    'data end': (byte) => (byte === CR ? 'data line feed' : refuse('a chunk longer than its size')),
    'data line feed': (byte) => (byte === LF ? 'size' : refuse('a chunk longer than its size')),
    'trailer start': (byte) => (byte === CR ? 'last line feed' : trailer(byte)),
    trailer,
    'trailer end': (byte) => (byte === LF ? 'trailer start' : trailer(byte)),
    'last line feed': (byte) => (byte === LF ? 'over' : trailer(byte)),
    over: () => 'over',
  }

  return {
    take: (byte) => {
      lineBytes += 1
      const before = phase
      phase = steps[before](byte)
      if (before === 'size end') return ended()
      if (phase === 'extension' || phase === 'space') {
        if (lineBytes > LINE_MAX_BYTES) refuse('a line without end')
      } else if (before === 'data line feed') lineBytes = 0
      return 0
    },
    isOver: () => phase === 'over',
  }

  function ended(): number {
    const left = size
    size = 0
    return left
  }
}

function spaced(byte: number): Phase {
  if (byte === CR) return 'size end'
  if (byte === SEMICOLON) return 'extension'
  return byte === SPACE || byte === TAB ? 'space' : refuse('a chunk without a size')
}

function trailer(byte: number): Phase {
  return byte === CR ? 'trailer end' : 'trailer'
}

function refuse(reason: string): never {
  throw new Error(reason)
}
