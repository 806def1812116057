// Slow: the guide's program starts, registers and trades.
import { afterAll, expect, test } from 'bun:test'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../build/bundle.ts'
import { needProgram } from '../programs.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'

const GUIDE = readFileSync(join(ROOT, 'config/reference/signed-call.md'), 'utf8')
const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

/** The blocks of the guide in one language, one after another. */
function blocks(language: string): string {
  return [...GUIDE.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))]
    .map(([, block = '']) => block)
    .join('')
}

/** Account ids differ from run to run; the guide shows the beginning of one. */
const withoutIds = (text: string) => text.replace(/0x[0-9a-f]+…?/g, '0x…')

test('the blocks of the signed call, in one file, print what the guide shows', async () => {
  symlinkSync(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'))
  writeFileSync(join(folder.path, 'first-order.mjs'), blocks('js'))
  const prepd = spawnPrepd({ settings: { DATA_DIR: join(folder.path, 'data') } })
  const program = [needProgram('node'), 'first-order.mjs', await prepd.url()]
  const child = Bun.spawn(program, {
    cwd: folder.path,
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' },
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  prepd.kill('SIGTERM')
  await prepd.ended()
  expect({ code: await child.exited, stderr }).toEqual({ code: 0, stderr: '' })
  expect(blocks('text').split('\n').length).toBeGreaterThan(15)
  expect(withoutIds(stdout)).toBe(withoutIds(blocks('text')))
})
