import { applyRecord, bookRecords, type TapeBooks } from './books.ts'
import { assertExact, createEncoder } from './encode.ts'
import type { TapeFile } from './file.ts'
import { checkHead, frameBytes, frameEnd, HEAD_BYTES, headBytes, readCompressed } from './frames.ts'
import { booksAtEnd, hasFrameBehind, indexTape } from './read.ts'
import { TapeError, type TapeRecord } from './records.ts'

/** Accepts records in order. */
export type RecordSink = {
  /**
   * Adds a record. Throws RangeError for a figure that is too large or too precise, TapeError for a record that
   * contradicts earlier records.
   */
  readonly add: (record: TapeRecord) => void
  /** The markets and their books after the last record. */
  readonly books: TapeBooks
}

/** Creates a sink that validates records as a tape does and passes them on, but stores nothing. */
export function passRecords(pass: (record: TapeRecord) => void): RecordSink {
  const books: TapeBooks = new Map()
  return {
    books,
    add: (record) => {
      assertExact(record)
      applyRecord(books, record)
      pass(record)
    },
  }
}

/** Appends records to a tape. */
export type TapeWriter = RecordSink & {
  /**
   * Writes the added records as a frame. The frame survives the end of this process. Throws the file's error. After an
   * error, ignores further calls, because later records would follow missing records.
   */
  readonly flush: () => void
  /** Number of bytes that opening removed as a torn end. */
  readonly cutBytes: number
}

/** `frameBytes`: size at which a frame is written. `keyFrameEvery`: every n-th frame repeats markets and books. */
export type Framing = { readonly frameBytes: number; readonly keyFrameEvery: number }

/**
 * Opens a tape for appending. An empty file gets its head, and a torn end is removed. Throws TapeError for an invalid
 * file, and for a file that is damaged before its end.
 */
export function openTapeWriter(file: TapeFile, framing: Framing): TapeWriter {
  const { cutBytes, frames, previous } = resume(file)
  const books = booksAtEnd(file)
  const encoder = createEncoder()
  const frame = frameAfter(frames, previous)

  function begin(): void {
    if (frame.number % framing.keyFrameEvery === 0)
      for (const record of bookRecords(books)) encoder.add(record, true)
    frame.stateBytes = encoder.length()
  }

  function note(record: TapeRecord): void {
    frame.records += 1
    if (record.kind === 'market') return
    const { atUs } = record
    frame.firstUs = frame.isTimed ? Math.min(frame.firstUs, atUs) : atUs
    frame.lastUs = frame.isTimed ? Math.max(frame.lastUs, atUs) : atUs
    frame.isTimed = true
    frame.hasGaps ||= record.kind === 'gap'
  }

  function flush(): void {
    if (frame.records === 0 || frame.isLost) return
    const isKey = frame.number % framing.keyFrameEvery === 0
    const { bytes, checksum } = frameBytes({ ...frame, isKey, raw: encoder.take() }, frame.previous)
    frame.isLost = true
    file.append(bytes)
    frame.isLost = false
    frame.number += 1
    frame.previous = checksum
    frame.records = 0
    frame.hasGaps = false
    frame.isTimed = false
    frame.firstUs = frame.lastUs
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

/** The state of the frame that is being filled. */
function frameAfter(number: number, previous: bigint) {
  return {
    ...{ number, previous },
    ...{ records: 0, stateBytes: 0, firstUs: 0, lastUs: 0 },
    ...{ hasGaps: false, isTimed: false, isLost: false },
  }
}

/** Truncates the file after its last whole frame. Returns where the next frame continues. */
function resume(file: TapeFile) {
  const sizeBytes = file.sizeBytes()
  if (sizeBytes < HEAD_BYTES) {
    writeTapeHead(file)
    return { cutBytes: 0, frames: 0, previous: 0n }
  }
  const frames = [...indexTape(file).frames]
  for (let last = frames.at(-1); last && readCompressed(file, last) === null; last = frames.at(-1))
    frames.pop()
  const last = frames.at(-1)
  const endBytes = last ? frameEnd(last) : HEAD_BYTES
  if (hasFrameBehind(file, endBytes + 1))
    throw new TapeError(`this tape is damaged at byte ${endBytes}, and goes on behind it`)
  file.truncate(endBytes)
  return { cutBytes: sizeBytes - endBytes, frames: frames.length, previous: last?.checksum ?? 0n }
}

/** Writes the head of a tape into a file that is empty or ends within its head. */
function writeTapeHead(file: TapeFile): void {
  const head = headBytes()
  const there = file.read(0, HEAD_BYTES)
  if (there.some((byte, at) => byte !== head[at])) checkHead(file)
  file.truncate(0)
  file.append(head)
}
