// Slow: every document is made, twice.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../build/bundle.ts'

/** What the document check reads, in a folder where it may be spoilt. */
let project = ''

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'prepd-docs-'))
  const filter = (source: string) => !source.endsWith('build/out')
  const texts = ['README.md', 'SECURITY.md', 'CHANGELOG.md', 'NOTICE', 'package.json']
  for (const path of [...texts, 'build', 'config', 'src', 'test'])
    cpSync(join(ROOT, path), join(project, path), { recursive: true, filter })
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'))
})
afterAll(() => rmSync(project, { recursive: true }))

function check() {
  const { exitCode, stdout } = Bun.spawnSync([process.execPath, 'build/docs.ts', '--check'], {
    cwd: project,
  })
  return { exitCode, output: stdout.toString() }
}

describe('the document check', () => {
  test('passes documents that are true', () => {
    expect(check()).toEqual({ exitCode: 0, output: '' })
  })

  test('refuses a stale file, a place that is not there and a folder that no map lists, and writes nothing', () => {
    appendFileSync(join(project, 'NOTICE'), 'a word more\n')
    appendFileSync(join(project, 'README.md'), 'See `core/gone.ts`.\n')
    appendFileSync(join(project, 'src/README.md'), 'See `attic/`.\n')
    appendFileSync(join(project, 'SECURITY.md'), 'See `test/attic/`.\n')
    mkdirSync(join(project, 'src/cellar'))
    expect(check()).toEqual({
      exitCode: 1,
      output: [
        'NOTICE is stale: run bun build/docs.ts',
        'README.md names core/gone.ts, which does not exist',
        'src/README.md names attic/, which does not exist',
        'src/README.md does not list src/cellar',
        'SECURITY.md names test/attic/, which does not exist',
        '',
      ].join('\n'),
    })
    expect(readFileSync(join(project, 'NOTICE'), 'utf8')).toEndWith('a word more\n')
  })
})
