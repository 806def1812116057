import { reportUnexpected } from '../../core/loop/guarded.ts'
import { NoPlaceError } from '../../operator/command/command.ts'
import { unwritableReason } from '../../tapes/file.ts'

/** Runs work that writes a file. Throws NoPlaceError that names the file if it cannot be written. */
export function runFileWrite(path: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    reportUnexpected('process', error, 'system')
    throw new NoPlaceError(unwritableReason(path, error), { cause: error })
  }
}
