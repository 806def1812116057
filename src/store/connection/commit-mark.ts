import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { expected } from '../../core/loop/guarded.ts'

/** The highest numbers that a store has committed; 0 where none is known. */
type Marks = {
  /** The number of the last durable commit. */
  readonly commits: number
  /** The highest timestamp of a claim, which may lie ahead of the time, in milliseconds since the epoch. */
  readonly signedMs: number
  /** The last line of the audit of vouchers. */
  readonly vouchers: number
}

/**
 * The marks of a store, in a file beside it. They are written after the commit and never synced, so they may fall
 * behind; only a store that lost commits can be behind them.
 */
export type CommitMark = {
  /** What was marked last, and whether nothing was yet. */
  readonly read: () => Marks & { readonly isNew: boolean }
  /** A mark that cannot be written is left as it is: it is a weaker guard, and the next commit writes it again. */
  readonly write: (marks: Pick<Marks, 'commits' | 'signedMs'>) => void
  readonly writeVouchers: (vouchers: number) => void
  readonly close: () => void
}

/** As many digits always, so that one write of a few bytes in one place replaces a number. */
const DIGITS = 16
const LINE_BYTES = DIGITS + 1

/** The marks at a path, made for their owner alone. */
export function openMark(path: string): CommitMark {
  const file = openSync(path, 'a+', 0o600)
  closeSync(file)
  const descriptor = openSync(path, 'r+')

  function write(numbers: readonly number[], fromLine: number): void {
    const lines = numbers.map((number) => `${String(number).padStart(DIGITS, '0')}\n`)
    try {
      writeSync(descriptor, lines.join(''), fromLine * LINE_BYTES)
    } catch (error) {
      expected('store', error, 'system')
      // A weaker guard is no reason to refuse what is committed.
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

/** The mark of a store that does not outlive its process. */
export const NO_MARK: CommitMark = {
  read: () => ({ commits: 0, signedMs: 0, vouchers: 0, isNew: true }),
  write: () => undefined,
  writeVouchers: () => undefined,
  close: () => undefined,
}
