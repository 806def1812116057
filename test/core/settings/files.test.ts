import { afterAll, expect, test } from 'bun:test'
import { readBounded, readTextFile } from '../../../src/core/settings/files.ts'
import { refusal, settingsFolder } from '../../settings-folder.ts'

const folder = settingsFolder()
afterAll(() => folder[Symbol.dispose]())

test('a file is read up to its limit, to the byte', () => {
  const path = folder.write('text', '\u{feff}1é345')
  // Nine bytes: the byte order mark and the accented letter take more than one.
  expect(readBounded(path, 9)).toBe('1é345')
  expect(() => readBounded(path, 8)).toThrow('larger than 8 bytes')
})

test('a device without an end and a file above 1 MiB are refused at once', () => {
  const large = folder.write('large', '#'.repeat(1024 * 1024 + 1))
  for (const path of ['/dev/zero', large]) {
    expect(readTextFile(folder.files, path)).toBeNull()
    const line = `names a file that cannot be read, or is larger than 1 MiB`
    expect(refusal(folder.invoke(['--config', path]))).toEqual([`prepd: --config ${line}: ${path}`])
    expect(refusal(folder.invoke([], { PREPD_SWAP_KEY_FILE: path }))).toHaveLength(1)
  }
  expect(readTextFile(folder.files, folder.write('fits', '#'.repeat(1024 * 1024)))).toHaveLength(
    1024 * 1024,
  )
})
