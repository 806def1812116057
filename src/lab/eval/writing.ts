import { expected } from '../../core/loop/guarded.ts'
import { NoPlaceError } from '../../operator/command/command.ts'
import { unwritable } from '../../tapes/file.ts'

/** Runs work that writes a file. Throws NoPlaceError that names the file if it cannot be written. */
export function writingTo(path: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    expected('process', error, 'system')
    throw new NoPlaceError(unwritable(path, error), { cause: error })
  }
}
