import { afterEach, beforeEach, expect, test } from 'bun:test'
import { settingsFolder } from '../settings-folder.ts'
import { openTarget, type Target } from '../target.ts'
import { NO_NETWORK, runCommand } from './run-command.ts'

const KEY = 'operator-key-of-thirty-two-letters'

let target: Target
let folder: ReturnType<typeof settingsFolder>

beforeEach(async () => {
  folder = settingsFolder()
  target = await openTarget('in process', { OPERATOR_KEY: KEY })
})
afterEach(async () => {
  folder[Symbol.dispose]()
  await target.stop()
})

async function transport(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  const { method, headers } = request
  return target.fetch(pathname, { method, headers, body: await request.text() })
}

const run = (
  words: readonly string[],
  env: Readonly<Record<string, string>> = { PREPD_OPERATOR_KEY: KEY },
) => runCommand(folder, ['venue', ...words], env, { ...NO_NETWORK, transport })
const read = async (id: string) =>
  Object(await (await target.fetch(`/api/prep/op/platform.${id}`)).json())

test('an announcement is made and taken back by its number', async () => {
  const made = await run(['announce', '--message', 'Hello there', '--link', 'https://example.com/'])
  expect(made.exitCode).toBe(0)
  expect(made.lines.join()).toMatch(/announcement id +2/)
  expect((await read('announcements')).rows[0]).toMatchObject({ message: 'Hello there' })
  const gone = await run(['retract', '--announcement', '2'])
  expect(gone.exitCode).toBe(0)
  expect(gone.lines.join()).toMatch(/retracted +2/)
  expect((await read('announcements')).rows).toHaveLength(1)
  const again = await run(['retract', '--announcement', '2'])
  expect(again.exitCode).toBe(1)
  expect(again.lines.join()).toContain('not_found')
})

test('a maintenance is begun, planned and said to be over', async () => {
  expect((await run(['maintenance', 'on', '--message', 'Back soon'])).exitCode).toBe(0)
  expect(await read('status')).toMatchObject({ status: 2, msg: 'Back soon' })
  expect((await run(['maintenance', 'on', '--after', '1h', '--for', '1h'])).exitCode).toBe(0)
  const { status, scheduled_maintenance: planned } = await read('status')
  expect([status, planned.endTime - planned.startTime]).toEqual([0, 3_600_000])
  await run(['maintenance', 'off'])
  expect(await read('status')).toMatchObject({ status: 0, scheduled_maintenance: null })
})

test.each([
  [['announce'], { PREPD_OPERATOR_KEY: KEY }, '--message'],
  [['retract'], { PREPD_OPERATOR_KEY: KEY }, '--announcement'],
  [['announce', '--message', 'x'], {}, 'PREPD_OPERATOR_KEY'],
  [
    ['announce', '--message', 'x'],
    { PREPD_OPERATOR_KEY: KEY, PREPD_VENUE: 'http://127.0.0.1:9' },
    'live venue',
  ],
])('%p is a misuse, and nothing is sent', async (words, env, word) => {
  const { lines, exitCode } = await run(words, env)
  expect(exitCode).toBe(64)
  expect(lines.join()).toContain(word)
  expect((await read('announcements')).rows).toHaveLength(1)
})
