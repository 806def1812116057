import { expect } from 'bun:test'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../build/bundle.ts'
import { needProgram, testsNeeding } from '../programs.ts'
import { temporaryFolder } from '../surface/spawned.ts'

const { test } = testsNeeding('what git ignores', 'git')
const MADE = ['node_modules', 'build/out', 'data']

test.each(['folders', 'symbolic links'])(
  'git ignores what is made here, as %s, and no source',
  (kind) => {
    using folder = temporaryFolder()
    const at = (path: string) => join(folder.path, path)
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
    const git = (...argv: readonly string[]) =>
      Bun.spawnSync([needProgram('git'), ...argv], { cwd: folder.path, env }).stdout.toString()
    git('init', '-q')
    cpSync(join(ROOT, '.gitignore'), at('.gitignore'))
    mkdirSync(at('build'))
    mkdirSync(at('elsewhere'))
    writeFileSync(at('elsewhere/source.ts'), '')
    for (const path of MADE) {
      if (kind === 'symbolic links') symlinkSync(at('elsewhere'), at(path))
      else cpSync(at('elsewhere'), at(path), { recursive: true })
    }
    writeFileSync(at('prepd.log'), '')
    expect(git('ls-files', '--others', '--exclude-standard').trim().split('\n')).toEqual([
      '.gitignore',
      'elsewhere/source.ts',
    ])
  },
)
