/** The lines around the data of chunks, taken byte by byte: each costs the same, wherever the reads are cut. */
export type ChunkLines = {
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
export function createChunkLines(): ChunkLines {
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
