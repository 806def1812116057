import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'

/**
 * The number of the last durable commit, in a file beside the store. It is written after the commit and never synced,
 * so it may fall behind; only a store that lost commits can be behind it.
 */
export type CommitMark = {
  /** What was marked last; 0 when there is no mark, or none that can be read. */
  readonly read: () => number
  readonly write: (sequence: number) => void
  readonly close: () => void
}

/** As many digits always, so that one write of a few bytes in one place replaces all of it. */
const DIGITS = 16

/** The mark at a path, made for its owner alone. */
export function openMark(path: string): CommitMark {
  const file = openSync(path, 'a+', 0o600)
  closeSync(file)
  const descriptor = openSync(path, 'r+')
  return {
    read: () => {
      const text = readFileSync(path, 'utf8')
      return /^[0-9]{16}\n$/.test(text) ? Number(text) : 0
    },
    write: (sequence) => {
      writeSync(descriptor, `${String(sequence).padStart(DIGITS, '0')}\n`, 0)
    },
    close: () => closeSync(descriptor),
  }
}

/** The mark of a store that does not outlive its process. */
export const NO_MARK: CommitMark = {
  read: () => 0,
  write: () => undefined,
  close: () => undefined,
}
