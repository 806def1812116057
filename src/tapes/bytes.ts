import { TAPE_LIMITS, TapeError } from './records.ts'

/** Appends integers and texts to a growing byte array, in the format that a byte reader reads. */
export type ByteWriter = {
  /** An integer from 0 to 2^53 - 1, seven bits per byte, lowest bits first. */
  readonly unsigned: (value: number) => void
  /** An integer from -2^52 to 2^52. */
  readonly signed: (value: number) => void
  /** UTF-8 bytes, preceded by their length. */
  readonly text: (text: string) => void
  readonly length: () => number
  /** Returns the bytes written so far, and empties the writer. */
  readonly take: () => Uint8Array<ArrayBuffer>
}

const INTEGER_MAX_BYTES = 8
const SMALL_MAX = 2 ** 31
const ENCODER = new TextEncoder()
const DECODER = new TextDecoder('utf-8', { fatal: true })

export function createByteWriter(): ByteWriter {
  let bytes = new Uint8Array(4096)
  let at = 0
  const reserve = (length: number) => {
    if (at + length <= bytes.length) return
    const larger = new Uint8Array(Math.max(bytes.length * 2, at + length))
    larger.set(bytes)
    bytes = larger
  }
  const unsigned = (value: number) => {
    reserve(INTEGER_MAX_BYTES)
    let left = value
    while (left >= SMALL_MAX) {
      bytes[at++] = (left % 128) | 128
      left = Math.floor(left / 128)
    }
    while (left >= 128) {
      bytes[at++] = (left & 127) | 128
      left >>>= 7
    }
    bytes[at++] = left
  }
  return {
    unsigned,
    signed: (value) => unsigned(value < 0 ? -value * 2 - 1 : value * 2),
    text: (text) => {
      const encoded = ENCODER.encode(text)
      unsigned(encoded.length)
      reserve(encoded.length)
      bytes.set(encoded, at)
      at += encoded.length
    },
    length: () => at,
    take: () => {
      const taken = bytes.slice(0, at)
      at = 0
      return taken
    },
  }
}

/** Reads what a byte writer wrote. Each method throws TapeError at the end of the bytes. */
export type ByteReader = {
  readonly unsigned: () => number
  readonly signed: () => number
  readonly text: () => string
  readonly isAtEnd: () => boolean
}

export function createByteReader(bytes: Uint8Array): ByteReader {
  let at = 0
  const unsigned = (): number => {
    const first = bytes[at]
    if (first !== undefined && first < 128) {
      at += 1
      return first
    }
    let value = 0
    let factor = 1
    for (let read = 0; read < INTEGER_MAX_BYTES; read += 1) {
      const byte = bytes[at++]
      if (byte === undefined) break
      value += (byte & 127) * factor
      if (byte < 128) return value
      factor *= 128
    }
    throw new TapeError('a record ends too early')
  }
  return {
    unsigned,
    signed: () => {
      const value = unsigned()
      return value % 2 === 0 ? value / 2 : -(value + 1) / 2
    },
    text: () => {
      const length = unsigned()
      if (length > TAPE_LIMITS.rulesMaxChars * 4 || at + length > bytes.length)
        throw new TapeError('a record ends too early')
      at += length
      return DECODER.decode(bytes.subarray(at - length, at))
    },
    isAtEnd: () => at >= bytes.length,
  }
}
