import { expect } from 'bun:test'
import { join } from 'node:path'
import { needProgram, testsNeeding } from '../programs.ts'

const { test } = testsNeeding('npm in the project’s folder', 'npm')

test('npm shows errors alone here: programs of the tests that ask for a later Node.js are no warning', () => {
  const cwd = join(import.meta.dir, '../..')
  const { stdout } = Bun.spawnSync([needProgram('npm'), 'config', 'get', 'loglevel'], { cwd })
  expect(stdout.toString().trim()).toBe('error')
})
