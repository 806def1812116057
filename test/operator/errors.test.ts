import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'

/** Runs a command of the executable, which no server helps. */
async function command(...words: readonly string[]) {
  using folder = temporaryFolder()
  const settings = { DATA_DIR: join(folder.path, 'none'), OPS_LISTEN: '127.0.0.1:1' }
  const argv = ['--mode', 'admin', ...words]
  return await spawnPrepd({ argv, settings }).ended()
}

test.each([
  [1, ['status'], /^no prepd answers at /],
  [64, ['rotate', 'affiliate'], /^PREPD_AFFILIATE_ACCOUNT_ID is not set/],
  [1, ['db', 'check'], /\S/],
  [1, ['tape', 'verify', '/nowhere/tape'], /\S/],
  [1, ['backups', 'drill'], /\S/],
  [64, ['no', 'such', 'command'], /^prepd: unknown command no such command/],
] as const)(
  'the executable ends with %d after %p, and says why on the standard error alone',
  async (code, words, why) => {
    const ended = await command(...words)
    expect(ended).toEqual({ code, stdout: '', stderr: expect.stringMatching(why) })
  },
)

test('with --json the reason is in the value on the standard output', async () => {
  const { code, stdout, stderr } = await command('status', '--json')
  expect([code, stderr]).toEqual([1, ''])
  expect(JSON.parse(stdout)).toEqual({
    exitCode: 1,
    lines: [expect.stringMatching(/^no prepd answers at /)],
  })
})
