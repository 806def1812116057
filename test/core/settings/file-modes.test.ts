import { expect, test } from 'bun:test'
import { diskFiles, type Files } from '../../../src/core/settings/files.ts'
import { readInvocation } from '../../../src/settings.ts'
import { settingsFolder } from '../../settings-folder.ts'

test.each<readonly [platform: string, mode: number, kind: 'run' | 'refusal']>([
  ['linux', 0o600, 'run'],
  ['linux', 0o644, 'refusal'],
  ['darwin', 0o640, 'refusal'],
  ['win32', 0o666, 'run'],
])('on %s a secret file of mode %d ends in a %s', (platform, mode, kind) => {
  using folder = settingsFolder()
  const path = folder.write('key', 'the-operator-key-of-the-test-of-modes', mode)
  const stat: Files['stat'] = (asked) => (asked === path ? diskFiles(platform).stat(path) : null)
  const files = { ...folder.files, stat }
  expect(readInvocation([], { PREPD_OPERATOR_KEY_FILE: path }, files).kind).toBe(kind)
})
