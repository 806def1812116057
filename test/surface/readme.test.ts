import { afterAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawnPrepd, temporaryFolder } from './spawned.ts'

const README = readFileSync(join(import.meta.dir, '../../README.md'), 'utf8')
const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

test('the settings file of the README has eight lines, which the executable accepts', async () => {
  const lines = [...README.matchAll(/^ {7}(\w+ = ".*")$/gm)].map(([, line = '']) => line)
  expect(lines).toHaveLength(8)
  const file = join(folder.path, 'prepd.toml')
  writeFileSync(file, `${lines.join('\n')}\n`)
  const argv = ['--mode', 'admin', 'config', 'check', '--config', file]
  const checked = await spawnPrepd({ argv, bare: true, cwd: folder.path }).ended()
  expect(checked).toMatchObject({ code: 0, stderr: '' })
  expect(checked.stdout).toContain('the live venue https://api.venue.example')
})
