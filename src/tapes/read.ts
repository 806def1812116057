import { applyRecord, type TapeBooks } from './books.ts'
import { createDecoder, type Decoder } from './decode.ts'
import {
  checkHead,
  FRAME_HEADER_BYTES,
  type FrameHeader,
  frameEnd,
  HEAD_BYTES,
  headerAt,
  readCompressed,
  readDecompressed,
  type TapeSource,
} from './frames.ts'
import type { TapeRecord } from './records.ts'

/** The frames of a tape in order, and the number of bytes after the last whole frame. */
export type TapeIndex = { readonly frames: readonly FrameHeader[]; readonly tailBytes: number }

/** Reads the headers of all frames. Throws TapeError if the file is not a tape. */
export function indexTape(source: TapeSource): TapeIndex {
  checkHead(source)
  const frames: FrameHeader[] = []
  let at = HEAD_BYTES
  for (;;) {
    const header = headerAt(source, at, frames.at(-1)?.checksum ?? 0n)
    if (header === null) return { frames, tailBytes: source.sizeBytes() - at }
    frames.push(header)
    at = frameEnd(header)
  }
}

/** Reads the records of a tape in the order of the recording. */
export type TapeReader = {
  /** The next record; null after the last whole frame. Throws TapeError for a damaged frame. */
  readonly next: () => TapeRecord | null
}

/**
 * Reads a tape from its beginning, or from the last key frame at or before `fromUs`. The first records are then all
 * markets and books, which a key frame repeats.
 */
export function openTapeReader(source: TapeSource, fromUs: number | null = null): TapeReader {
  const { frames } = indexTape(source)
  return readFrames(source, frames, fromUs === null ? 0 : keyFrameBefore(frames, fromUs))
}

/** Reads the records of all frames, starting at a key frame. */
export function readFrames(
  source: TapeSource,
  frames: readonly FrameHeader[],
  first: number,
): TapeReader {
  let number = first
  let decoder: Decoder = createDecoder(new Uint8Array())
  const nextFrame = (): boolean => {
    const frame = frames[number]
    if (frame === undefined) return false
    decoder = createDecoder(readDecompressed(source, frame), number === first)
    number += 1
    return true
  }
  return {
    next: () => {
      for (;;) {
        const record = decoder.next()
        if (record !== null) return record
        if (!nextFrame()) return null
      }
    },
  }
}

/** The books after the last record. Only the frames from the last key frame on are read. */
export function booksAtEnd(source: TapeSource): TapeBooks {
  const books: TapeBooks = new Map()
  const reader = openTapeReader(source, Number.POSITIVE_INFINITY)
  for (let record = reader.next(); record; record = reader.next()) applyRecord(books, record)
  return books
}

/** The index of the last key frame at or before a time. */
function keyFrameBefore(frames: readonly FrameHeader[], atUs: number): number {
  let low = 0
  let high = frames.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((frames[middle]?.firstUs ?? 0) <= atUs) low = middle + 1
    else high = middle
  }
  for (let at = low - 1; at > 0; at -= 1) if (frames[at]?.isKey) return at
  return 0
}

/**
 * Whether a whole frame exists anywhere after a position. If so, the bytes at the position are damage inside the tape
 * and not a torn end.
 */
export function hasFrameBehind(source: TapeSource, from: number): boolean {
  const sizeBytes = source.sizeBytes()
  for (let at = from; at < sizeBytes; at += CHUNK_BYTES) {
    const chunk = source.read(at, CHUNK_BYTES + FRAME_HEADER_BYTES)
    for (let offset = chunk.indexOf(FIRST_BYTE); offset >= 0; ) {
      const header = headerAt(source, at + offset, null)
      if (header && readCompressed(source, header)) return true
      offset = chunk.indexOf(FIRST_BYTE, offset + 1)
    }
  }
  return false
}

const CHUNK_BYTES = 1024 * 1024
/** The first byte of every frame header. */
const FIRST_BYTE = 0x51
