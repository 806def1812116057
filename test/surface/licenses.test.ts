import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { bundleParts, ROOT } from '../../build/bundle.ts'
import { licensesText } from '../../src/operator/licenses.ts'
import { spawnPrepd, temporaryFolder } from './spawned.ts'

const NOTICE = await Bun.file(join(ROOT, 'NOTICE')).text()

test('--licenses prints NOTICE and opens nothing, whatever the settings are', async () => {
  using folder = temporaryFolder()
  const settings = { DATA_DIR: join(folder.path, 'data'), POINTS: 'broken', ZEBRA: '1' }
  const ended = await spawnPrepd({ argv: ['--licenses'], settings, cwd: folder.path }).ended()
  expect(ended).toEqual({ code: 0, stdout: NOTICE, stderr: '' })
  expect(readdirSync(folder.path)).toEqual([])
})

test('from the sources it is the same text', async () => {
  expect(await licensesText()).toBe(NOTICE)
})

// Slow: the whole program is bundled.
test('the text is loaded by one file, and that file only when it is asked for', async () => {
  const { inputs } = await bundleParts()
  const importers = (name: string) =>
    Object.entries(inputs).flatMap(([from, { imports }]) =>
      imports
        .filter(({ path, entryPoint }) => (entryPoint ?? path).endsWith(name))
        .map(({ kind }) => `${from} ${kind}`),
    )
  expect(importers('NOTICE')).toEqual(['src/operator/licenses.ts import-statement'])
  expect(importers('operator/licenses.ts')).toEqual([
    'src/main.ts dynamic-import',
    'src/http/pages.ts dynamic-import',
  ])
})
