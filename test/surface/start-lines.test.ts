import { expect, test } from 'bun:test'
import { spawnPrepd, temporaryFolder } from './spawned.ts'

test.each([
  ['off', undefined, true],
  ['named', 'ws://127.0.0.1:9', false],
])('a start before a live venue says whether live data are off: they are %s', async (...row) => {
  const [, stream, isNamed] = row
  using folder = temporaryFolder()
  const own = stream === undefined ? {} : { VENUE_STREAM: stream }
  const settings = { DATA_DIR: folder.path, VENUE: 'http://127.0.0.1:9', ...own }
  const prepd = spawnPrepd({ settings })
  await prepd.url()
  expect(prepd.output().includes('\nlive data: off (PREPD_VENUE_STREAM)\n')).toBe(isNamed)
  prepd.kill('SIGTERM')
  expect((await prepd.ended()).code).toBe(0)
})
