// Slow: a compiler of contracts runs.
import { expect, test } from 'bun:test'
import { join } from 'node:path'

const SCRIPT = join(import.meta.dir, '../../build/contracts.ts')

test('the compiled contracts are what their sources compile to', async () => {
  const child = Bun.spawn([process.execPath, SCRIPT, '--check'], { stderr: 'pipe' })
  expect(await new Response(child.stderr).text()).toBe('')
  expect(await child.exited).toBe(0)
})
