import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'
import { reportUnexpected, systemErrorCode } from '../core/loop/guarded.ts'
import type { TapeSource } from './frames.ts'

/** The file of a tape. Each method throws the system's errors. */
export type TapeFile = TapeSource & {
  /**
   * Appends bytes durably. If the write fails or another program has extended the file, throws an Error and leaves the
   * file unchanged.
   */
  readonly append: (bytes: Uint8Array) => void
  /** Truncates the file to a length in bytes. */
  readonly truncate: (bytes: number) => void
  readonly close: () => void
}

const MODE = 0o600

/** Meanings of the system's error codes for a failed open or write. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  ENOTDIR: 'is below a file where a folder has to be',
  EISDIR: 'is a folder',
  EACCES: 'may not be opened by this user',
  EPERM: 'may not be opened by this user',
  EROFS: 'is on a disk that is read-only',
  ENOSPC: 'is on a disk that is full',
  EDQUOT: 'is beyond what this user may store on its disk',
}

/** Opens a file and returns its descriptor. Throws an Error with the file's name and the reason. */
export function openFile(path: string, flags: number): number {
  try {
    return openSync(path, flags, MODE)
  } catch (error) {
    const code = systemErrorCode(error)
    const isMade = code === 'ENOENT' && (flags & constants.O_CREAT) !== 0
    const reason = isMade ? 'is in a folder that is not there' : REASONS[code]
    throw new Error(`${path} ${reason ?? `cannot be opened (${code})`}`, { cause: error })
  }
}

/** A sentence that names a file and says why it cannot be written. */
export function unwritableReason(path: string, error: unknown): string {
  const code = systemErrorCode(error)
  return `${path} ${REASONS[code] ?? `cannot be written (${code})`}`
}

/** Opens a tape's file for reading or for appending. Appending creates a missing file. */
export function openTapeFile(path: string, use: 'read' | 'append'): TapeFile {
  const { O_RDONLY, O_RDWR, O_CREAT } = constants
  const descriptor = openFile(path, use === 'read' ? O_RDONLY : O_RDWR | O_CREAT)
  const sizeBytes = () => fstatSync(descriptor).size
  let expectedBytes = sizeBytes()
  return {
    sizeBytes,
    read: (at, length) => readAt(descriptor, at, length),
    append: (bytes) => {
      if (sizeBytes() !== expectedBytes) throw new Error('another program writes to this tape')
      try {
        writeAt(descriptor, bytes, expectedBytes)
      } catch (error) {
        truncatePartialWrite(descriptor, expectedBytes)
        throw new Error(unwritableReason(path, error), { cause: error })
      }
      expectedBytes += bytes.length
    },
    truncate: (bytes) => {
      ftruncateSync(descriptor, bytes)
      expectedBytes = bytes
    },
    close: () => closeSync(descriptor),
  }
}

function writeAt(descriptor: number, bytes: Uint8Array, at: number): void {
  for (let written = 0; written < bytes.length; )
    written += writeSync(descriptor, bytes, written, bytes.length - written, at + written)
  fdatasyncSync(descriptor)
}

/** Removes a partial write. If that fails, the next writer truncates the rest as a torn end. */
function truncatePartialWrite(descriptor: number, bytes: number): void {
  try {
    ftruncateSync(descriptor, bytes)
  } catch (error) {
    reportUnexpected('process', error, 'system')
  }
}

function readAt(descriptor: number, at: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let read = 0
  while (read < length) {
    const count = readSync(descriptor, bytes, read, length - read, at + read)
    if (count === 0) break
    read += count
  }
  return bytes.subarray(0, read)
}
