import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync } from 'node:fs'
import { settingsFolder } from '../settings-folder.ts'
import { openTarget } from '../target.ts'

test.each([
  { mode: 0o700, isLogged: false },
  { mode: 0o750, isLogged: true },
  { mode: 0o705, isLogged: true },
])(
  'a start says that others may use a data directory of mode $mode: $said',
  async ({ mode, isLogged }) => {
    using folder = settingsFolder()
    const dataDir = folder.path('data')
    mkdirSync(dataDir)
    chmodSync(dataDir, mode)
    const target = await openTarget('in process', { DATA_DIR: dataDir })
    await target.stop()
    const line = { level: 'warn', event: 'data_dir_open', dataDir, mode: mode.toString(8) }
    expect(target.log().includes(JSON.stringify(line))).toBe(isLogged)
  },
)
