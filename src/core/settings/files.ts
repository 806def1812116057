import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { LIMITS } from '../../contract/limits.ts'
import { reportUnexpected } from '../loop/guarded.ts'
import { printable, UsageError } from './usage-error.ts'

/** The file access of settings. */
export type Files = {
  /** The type and permission bits of a path; null when it does not exist. Follows links. */
  readonly stat: (path: string) => { readonly directory: boolean; readonly mode: number } | null
  /** The text of a file. Throws the system's error, or an Error if the file is longer than the limit. */
  readonly read: (path: string, maxBytes?: number) => string
  /**
   * The names in a folder; empty if the folder does not exist. Throws the system's error for a folder that cannot be
   * read.
   */
  readonly list: (path: string) => readonly string[]
}

/** The disk of this machine. */
export function diskFiles(platform: string): Files {
  return {
    stat: (path) => {
      const facts = statSync(path, { throwIfNoEntry: false })
      if (!facts) return null
      return { directory: facts.isDirectory(), mode: meaningfulMode(facts.mode, platform) }
    },
    read: readBounded,
    list: (path) => (statSync(path, { throwIfNoEntry: false }) ? readdirSync(path) : []),
  }
}

/** The mode bits. On Windows, the bits of group and others are cleared, because they do not control access there. */
function meaningfulMode(mode: number, platform: string): number {
  return platform === 'win32' ? mode & ~0o077 : mode
}

/** The end of the sentence about a setting whose file `readTextFile` cannot read. */
export const UNREADABLE = 'names a file that cannot be read, or is larger than 1 MiB'

/** The text of a file; null when it is missing, a directory, unreadable or longer than the limit. */
export function readTextFile(files: Files, path: string, maxBytes?: number): string | null {
  const facts = files.stat(path)
  if (facts === null || facts.directory) return null
  try {
    return files.read(path, maxBytes)
  } catch (error) {
    reportUnexpected('process', error, Error)
    return null
  }
}

/** The text of the file that a setting names. Throws UsageError if the setting is absent or the file cannot be read. */
export function settingText(files: Files, setting: string, path: string | null): string {
  if (path === null) throw new UsageError(`${setting} must be set as for the running server`)
  const text = readTextFile(files, path)
  if (text === null) throw new UsageError(`${setting} ${UNREADABLE}: ${printable(path)}`)
  return text
}

/**
 * The problems of the file that a setting names, one line each: that the file is unreadable, or the lines of the
 * parser's UsageError.
 */
export function fileProblems(
  files: Files,
  setting: string,
  path: string,
  read: (text: string) => unknown,
): readonly string[] {
  const text = readTextFile(files, path)
  if (text === null) return [`${setting} ${UNREADABLE}: ${printable(path)}`]
  try {
    read(text)
    return []
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return error.lines.map((line) => `${setting}: ${printable(path)}: ${line}`)
  }
}

/**
 * The text of a file without a byte order mark. Reads at most one byte beyond the limit, so that an endless device is
 * refused. Throws the system's error, and an Error if the file is longer than `maxBytes`.
 */
export function readBounded(path: string, maxBytes: number = LIMITS.settingsFileMaxBytes): string {
  const descriptor = openSync(path, 'r')
  try {
    return new TextDecoder().decode(Buffer.concat([...readChunks(descriptor, maxBytes)]))
  } finally {
    closeSync(descriptor)
  }
}

function* readChunks(descriptor: number, maxBytes: number): Generator<Uint8Array> {
  let leftBytes = maxBytes
  for (;;) {
    const chunk = new Uint8Array(CHUNK_BYTES)
    const length = readSync(descriptor, chunk)
    if (length === 0) return
    leftBytes -= length
    if (leftBytes < 0) throw new Error(`it is larger than ${maxBytes} bytes`)
    yield chunk.subarray(0, length)
  }
}

const CHUNK_BYTES = 64 * 1024
