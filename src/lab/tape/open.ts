import { existsSync, unlinkSync } from 'node:fs'
import { printable } from '../../core/settings/usage-error.ts'
import type { CommandArguments, CommandDeps } from '../../operator/command/command.ts'
import { linesOf } from '../../operator/command/tables.ts'
import { lockFile } from '../../store/connection/instance-lock.ts'
import { openTapeFile, type TapeFile } from '../../tapes/file.ts'
import { TapeError } from '../../tapes/records.ts'
import { openTapeWriter, type TapeWriter } from '../../tapes/write.ts'

/** Reads the tape that a command names. Answers its exit code, 1 when the tape cannot be read. */
export async function readTape(
  { complain }: CommandDeps,
  args: CommandArguments,
  use: (file: TapeFile) => 0 | 1,
): Promise<0 | 1> {
  const path = args.get('FILE') ?? ''
  return await explained(complain, path, () => {
    const file = openTapeFile(path, 'read')
    try {
      return use(file)
    } finally {
      file.close()
    }
  })
}

/**
 * Adds to the tape that a command names, which may be new, and reports what was added. Answers the exit code, 1 when that
 * ends early: what was added before stays, and a new tape without any record is removed.
 */
export async function addToTape(
  { print, complain, report }: CommandDeps,
  args: CommandArguments,
  add: (writer: TapeWriter) => Promise<object>,
): Promise<0 | 1> {
  const path = args.get('FILE') ?? ''
  const isNew = !existsSync(path)
  return await explained(complain, path, async (): Promise<0> => {
    const file = openTapeFile(path, 'append')
    const unlock = lockTape(path, file)
    let books: TapeWriter['books'] = new Map()
    try {
      const writer = openTapeWriter(file)
      books = writer.books
      if (writer.cutBytes > 0)
        print(`cut ${writer.cutBytes} bytes of a record that was not written whole`)
      const answer = { file: path, ...(await add(writer)), bytes: file.sizeBytes() }
      report(answer, linesOf(answer, null))
      return 0
    } catch (error) {
      if (isNew && [...books.values()].every(({ lastUs }) => lastUs === null)) unlinkSync(path)
      throw error
    } finally {
      file.close()
      unlock()
    }
  })
}

/** Takes a tape for this process by a file beside it. Throws an Error where another process adds to it. */
function lockTape(path: string, file: TapeFile): () => void {
  const beside = `${path}.lock`
  const unlock = lockFile(beside)
  if (!unlock) {
    file.close()
    throw new Error(`another prepd adds to ${path}`)
  }
  return () => {
    unlinkSync(beside)
    unlock()
  }
}

/** Runs a part of a command on a tape. Complains why it failed, with the tape's path where the tape is at fault, and answers 1 when it throws. */
async function explained(
  complain: CommandDeps['complain'],
  path: string,
  run: () => 0 | 1 | Promise<0 | 1>,
): Promise<0 | 1> {
  try {
    return await run()
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown'
    complain(printable(error instanceof TapeError ? `${path}: ${why}` : why))
    return 1
  }
}
