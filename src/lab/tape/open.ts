import { existsSync, unlinkSync } from 'node:fs'
import { printable } from '../../core/settings/usage-error.ts'
import type { CommandArguments, CommandEnvironment } from '../../operator/command/command.ts'
import { answerLines } from '../../operator/command/tables.ts'
import { lockFile } from '../../store/connection/instance-lock.ts'
import { openTapeFile, type TapeFile } from '../../tapes/file.ts'
import { TAPE_LIMITS, TapeError } from '../../tapes/records.ts'
import { openTapeWriter, type TapeWriter } from '../../tapes/write.ts'

/** Runs work on the tape that a command names. Returns the exit code; 1 if the tape is unreadable. */
export async function readTape(
  { complain }: CommandEnvironment,
  args: CommandArguments,
  use: (file: TapeFile) => 0 | 1,
): Promise<0 | 1> {
  const path = args.get('FILE') ?? ''
  return await runOnTape(complain, path, () => {
    const file = openTapeFile(path, 'read')
    try {
      return use(file)
    } finally {
      file.close()
    }
  })
}

/**
 * Appends to the new or existing tape that a command names, and reports the additions. Returns the exit code; 1 after
 * an error. Additions before the error stay; a new tape without records is removed.
 */
export async function addToTape(
  { print, complain, report }: CommandEnvironment,
  args: CommandArguments,
  add: (writer: TapeWriter) => Promise<object>,
): Promise<0 | 1> {
  const path = args.get('FILE') ?? ''
  const isNew = !existsSync(path)
  return await runOnTape(complain, path, async (): Promise<0> => {
    const file = openTapeFile(path, 'append')
    const unlock = lockTape(path, file)
    let books: TapeWriter['books'] = new Map()
    try {
      const writer = openTapeWriter(file, TAPE_LIMITS)
      books = writer.books
      if (writer.cutBytes > 0)
        print(`cut ${writer.cutBytes} bytes of a record that was not written whole`)
      const answer = { file: path, ...(await add(writer)), bytes: file.sizeBytes() }
      report(answer, answerLines(answer, null))
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

/** Locks a tape with a lock file next to it. Throws an Error if a different process is adding to it. */
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

/**
 * Runs a part of a command on a tape. Prints its error, with the tape's path for a fault of the tape, and then returns
 * 1.
 */
async function runOnTape(
  complain: CommandEnvironment['complain'],
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
