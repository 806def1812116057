import { LIMITS } from '../../contract/limits.ts'

/**
 * Takes the bytes of a body as they come in, cut anywhere, and passes on what belongs to it. Answers what lies behind
 * its end; null while there is more to come. Throws an Error for what is no such body.
 */
export type Framing = (bytes: Buffer, pass: (part: Uint8Array) => void) => Buffer | null

/** No bytes: what lies behind a whole body. */
export const NOTHING: Buffer = Buffer.alloc(0)

/** A body of so many bytes. */
export function sized(length: number): Framing {
  let left = length
  return (bytes, pass) => {
    // Most come whole, with nothing behind.
    if (bytes.length === left && left > 0) {
      left = 0
      pass(bytes)
      return NOTHING
    }
    const part = bytes.subarray(0, left)
    left -= part.length
    if (part.length > 0) pass(part)
    return left === 0 ? bytes.subarray(part.length) : null
  }
}

/** A body that ends with its connection. */
export const untilClose: Framing = (bytes, pass) => {
  if (bytes.length > 0) pass(bytes)
  return null
}

/** The pending bytes followed by the next ones. */
export function following(pending: Buffer, bytes: Buffer): Buffer {
  return pending.length === 0 ? bytes : Buffer.concat([pending, bytes])
}

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

/** The lines around the data of chunks, taken byte by byte: each costs the same, wherever the reads are cut. */
type ChunkLines = {
  /**
   * Takes the next byte. Answers how many bytes of data follow it: 0 while more of the framing does. Throws an Error for a
   * byte that cannot stand there, and for a line that is too long.
   */
  readonly take: (byte: number) => number
  /** Whether the last line has ended. */
  readonly isOver: () => boolean
}

const DIGITS_MAX = 8
/** Longest line with a size and its extensions. */
const LINE_MAX_BYTES = 256

const TAB = 9
const LF = 10
const CR = 13
const SPACE = 32
const SEMICOLON = 59
const DELETE = 127

/** The value of a hexadecimal digit by its code; NaN for any other byte. */
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

/** The lines of one body, from its first size. */
function createChunkLines(): ChunkLines {
  let phase: Phase = 'size'
  let size = 0
  let lineBytes = 0

  /** What each byte means where it stands, and what comes behind it. */
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
