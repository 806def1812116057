import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { reportUnexpected } from '../../core/loop/guarded.ts'

/** The highest committed numbers of a store; 0 if unknown. */
type Marks = {
  /** The number of the last durable commit. */
  readonly commits: number
  /** The highest timestamp of a claim, possibly in the future, in milliseconds since the epoch. */
  readonly signedMs: number
  /** The number of the last row in the vouchers' audit log. */
  readonly vouchers: number
}

/**
 * The marks of a store, in a file next to it. They are written after the commit without a sync, so they may lag behind
 * the store. A store with lower numbers than its marks has lost commits.
 */
export type CommitMark = {
  /** Reads the last marks. `isNew`: the file did not exist before. */
  readonly read: () => Marks & { readonly isNew: boolean }
  /** Writes the marks. A failure is ignored. The failure only weakens the detection of losses until the next commit. */
  readonly write: (marks: Pick<Marks, 'commits' | 'signedMs'>) => void
  readonly writeVouchers: (vouchers: number) => void
  readonly close: () => void
}

/** A fixed number of digits, so that one small write replaces a number in place. */
const DIGITS = 16
const LINE_BYTES = DIGITS + 1

/** The marks at a path, readable only by the file's owner. */
export function openMark(path: string): CommitMark {
  const file = openSync(path, 'a+', 0o600)
  closeSync(file)
  const descriptor = openSync(path, 'r+')

  function write(numbers: readonly number[], fromLine: number): void {
    const lines = numbers.map((number) => `${String(number).padStart(DIGITS, '0')}\n`)
    try {
      writeSync(descriptor, lines.join(''), fromLine * LINE_BYTES)
    } catch (error) {
      reportUnexpected('store', error, 'system')
      // Ignored: the commit itself has succeeded, and only the detection of losses is weaker.
    }
  }

  return {
    read: () => {
      const text = readFileSync(path, 'latin1')
      const line = (at: number) => text.slice(at * LINE_BYTES, (at + 1) * LINE_BYTES)
      const number = (at: number) => (/^[0-9]{16}\n$/.test(line(at)) ? Number(line(at)) : 0)
      return { commits: number(0), signedMs: number(1), vouchers: number(2), isNew: text === '' }
    },
    write: ({ commits, signedMs }) => write([commits, signedMs], 0),
    writeVouchers: (vouchers) => write([vouchers], 2),
    close: () => closeSync(descriptor),
  }
}

/** The mark of an in-memory store. */
export const NO_MARK: CommitMark = {
  read: () => ({ commits: 0, signedMs: 0, vouchers: 0, isNew: true }),
  write: () => undefined,
  writeVouchers: () => undefined,
  close: () => undefined,
}
