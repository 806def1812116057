import { applyRecord, recordsOf, type TapeBooks } from './books.ts'
import { assertExact, createEncoder } from './encode.ts'
import type { TapeFile } from './file.ts'
import { checkHead, endOf, frameBytes, HEAD_BYTES, headBytes, packedOf } from './frames.ts'
import { hasFrameBehind, indexTape, openTapeReader } from './read.ts'
import { TAPE_LIMITS, TapeError, type TapeRecord } from './records.ts'

/** Appends records to a tape. */
export type TapeWriter = {
  /** Throws RangeError for a figure that a tape cannot hold, and TapeError for a record that cannot follow. */
  readonly add: (record: TapeRecord) => void
  /** Writes the records so far as a frame: from then on they survive the end of this process. */
  readonly flush: () => void
  /** The markets and books after the last record. */
  readonly books: TapeBooks
  /** The bytes of a torn end that opening has cut off. */
  readonly cutBytes: number
}

/** When a frame is closed, and which frames begin with all markets and books. */
export type Framing = { readonly frameBytes: number; readonly keyFrameEvery: number }

/**
 * Opens a tape to append to it: an empty file gets its head, and a torn end is cut to the last whole frame. Throws
 * TapeError for a file that is no tape, and for one that is damaged before its end.
 */
export function openTapeWriter(file: TapeFile, framing: Framing = TAPE_LIMITS): TapeWriter {
  const { cutBytes, frames, previous } = resume(file)
  const books = booksAtEnd(file)
  const encoder = createEncoder()
  const frame = { number: frames, previous, records: 0, stateBytes: 0, firstUs: 0, lastUs: 0 }

  function begin(): void {
    if (frame.number % framing.keyFrameEvery === 0)
      for (const record of recordsOf(books)) encoder.add(record, true)
    frame.stateBytes = encoder.length()
  }

  function note(record: TapeRecord): void {
    const isFirst = frame.records === 0
    const atUs = record.kind === 'market' ? frame.lastUs : record.atUs
    frame.firstUs = isFirst ? atUs : Math.min(frame.firstUs, atUs)
    frame.lastUs = isFirst ? atUs : Math.max(frame.lastUs, atUs)
    frame.records += 1
  }

  function flush(): void {
    if (frame.records === 0) return
    const isKey = frame.number % framing.keyFrameEvery === 0
    const { bytes, checksum } = frameBytes({ ...frame, isKey, raw: encoder.take() }, frame.previous)
    file.append(bytes)
    frame.number += 1
    frame.previous = checksum
    frame.records = 0
  }

  return {
    books,
    cutBytes,
    flush,
    add: (record) => {
      assertExact(record)
      if (encoder.length() === 0) begin()
      applyRecord(books, record)
      encoder.add(record)
      note(record)
      if (encoder.length() - frame.stateBytes >= framing.frameBytes) flush()
    },
  }
}

/** The end of the last whole frame, behind which nothing is left. */
function resume(file: TapeFile) {
  const sizeBytes = file.sizeBytes()
  if (sizeBytes < HEAD_BYTES) {
    beginAnew(file)
    return { cutBytes: 0, frames: 0, previous: 0n }
  }
  const frames = [...indexTape(file).frames]
  for (let last = frames.at(-1); last && packedOf(file, last) === null; last = frames.at(-1))
    frames.pop()
  const last = frames.at(-1)
  const endBytes = last ? endOf(last) : HEAD_BYTES
  if (hasFrameBehind(file, endBytes + 1))
    throw new TapeError(`this tape is damaged at byte ${endBytes}, and goes on behind it`)
  file.truncate(endBytes)
  return { cutBytes: sizeBytes - endBytes, frames: frames.length, previous: last?.checksum ?? 0n }
}

/** Writes the head of a tape into an empty file, or again into one that ends within it. */
function beginAnew(file: TapeFile): void {
  const head = headBytes()
  const there = file.read(0, HEAD_BYTES)
  if (there.some((byte, at) => byte !== head[at])) checkHead(file)
  file.truncate(0)
  file.append(head)
}

/** The books after the last record, read from the last frame that begins with them. */
function booksAtEnd(file: TapeFile): TapeBooks {
  const books: TapeBooks = new Map()
  const reader = openTapeReader(file, Number.POSITIVE_INFINITY)
  for (let record = reader.next(); record; record = reader.next()) applyRecord(books, record)
  return books
}
