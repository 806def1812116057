import { expected } from '../../core/loop/guarded.ts'
import { unwritable } from '../../tape/file.ts'
import { NoPlaceError } from '../command/command.ts'

/** Does what writes to a file. Throws NoPlaceError, which names the file, where nothing can be written. */
export function writingTo(path: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    expected('process', error, 'system')
    throw new NoPlaceError(unwritable(path, error), { cause: error })
  }
}
