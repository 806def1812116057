import { expected } from '../../core/loop/guarded.ts'
import { NoPlaceError } from '../../operator/command/command.ts'
import { unwritable } from '../../tapes/file.ts'

/** Does what writes to a file. Throws NoPlaceError, which names the file, where nothing can be written. */
export function writingTo(path: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    expected('process', error, 'system')
    throw new NoPlaceError(unwritable(path, error), { cause: error })
  }
}
