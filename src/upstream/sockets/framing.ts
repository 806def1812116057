/**
 * Takes the bytes of a body as they come in, cut anywhere, and passes on what belongs to it. Answers what lies behind
 * its end; null while there is more to come. Throws an Error for what is no such body.
 */
export type Framing = (bytes: Buffer, pass: (part: Uint8Array) => void) => Buffer | null

/** No bytes: what lies behind a whole body, or is pending between two lines. */
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

/** Longest line between chunks, and what all trailers may take together. */
const LINE_MAX_BYTES = 4096
const TRAILERS_MAX_BYTES = 16_384
const SIZE_LINE = /^([\da-f]{1,8})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/i
/** What was pending with the next bytes behind it. */
export function following(pending: Buffer, bytes: Buffer): Buffer {
  return pending.length === 0 ? bytes : Buffer.concat([pending, bytes])
}

type Phase = 'size' | 'data' | 'data end' | 'trailers' | 'over'

/** A body in chunks (RFC 9112, 7.1); extensions and trailers are passed over. */
export function chunked(): Framing {
  let phase: Phase = 'size'
  let left = 0
  let trailerBytes = 0
  let pending: Buffer = NOTHING

  /** What each line means where it stands, and what comes behind it. */
  const turns: Readonly<Record<Phase, (line: string) => Phase>> = {
    size: (line) => {
      left = sizeOf(line)
      return left === 0 ? 'trailers' : 'data'
    },
    data: () => 'data',
    'data end': (line) => {
      if (line !== '') throw new Error('a chunk longer than its size')
      return 'size'
    },
    trailers: (line) => {
      trailerBytes += line.length
      if (trailerBytes > TRAILERS_MAX_BYTES) throw new Error('trailers without end')
      return line === '' ? 'over' : 'trailers'
    },
    over: () => 'over',
  }

  /** What lies behind the data of a chunk, as far as it came, or behind a line; null for a line that is not whole. */
  function take(bytes: Buffer, pass: (part: Uint8Array) => void): Buffer | null {
    if (phase === 'data') {
      const part = bytes.subarray(0, left)
      left -= part.length
      if (part.length > 0) pass(part)
      if (left === 0) phase = 'data end'
      return bytes.subarray(part.length)
    }
    const end = lineEnd(bytes)
    if (end === null) return null
    phase = turns[phase](bytes.toString('latin1', 0, end))
    return bytes.subarray(end + LINE_END.length)
  }

  return (bytes, pass) => {
    let rest = following(pending, bytes)
    while (phase !== 'over') {
      const behind = take(rest, pass)
      pending = behind ? NOTHING : rest
      if (!behind || (phase === 'data' && behind.length === 0)) return null
      rest = behind
    }
    return rest
  }
}

const LINE_END = '\r\n'

/** Where the first line ends; null while it does not. */
function lineEnd(bytes: Buffer): number | null {
  const end = bytes.indexOf(LINE_END)
  const lengthBytes = end < 0 ? bytes.length - 1 : end
  if (lengthBytes > LINE_MAX_BYTES) throw new Error('a line without end')
  return end < 0 ? null : end
}

function sizeOf(line: string): number {
  const [, digits] = SIZE_LINE.exec(line) ?? []
  if (digits === undefined) throw new Error('a chunk without a size')
  return Number.parseInt(digits, 16)
}
