import { afterEach, beforeEach, expect, test } from 'bun:test'
import { settingsFolder } from '../settings-folder.ts'
import { openTarget, type Target } from '../target.ts'
import { NOWHERE, runCommand } from './run-command.ts'

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
) => runCommand(folder, ['venue', ...words], env, { ...NOWHERE, transport })
const read = async (id: string) =>
  Object(await (await target.fetch(`/api/prep/op/platform.${id}`)).json())

test('an announcement is made and taken back by its number', async () => {
  const made = await run(['announce', '--message', 'Hello there', '--link', 'https://example.com/'])
  expect(made).toEqual({ lines: ['{"announcementId":2}'], exitCode: 0 })
  expect((await read('announcements')).rows[0]).toMatchObject({ message: 'Hello there' })
  const gone = await run(['retract', '--announcement', '2'])
  expect(gone).toEqual({ lines: ['{"retracted":true}'], exitCode: 0 })
  expect((await read('announcements')).rows).toHaveLength(1)
  const again = await run(['retract', '--announcement', '2'])
  expect(again.exitCode).toBe(1)
  expect(again.lines.join()).toContain('not_found')
})

test('a maintenance is begun, planned and said to be over', async () => {
  expect((await run(['maintenance', '--message', 'Back soon'])).exitCode).toBe(0)
  expect(await read('status')).toMatchObject({ status: 2, msg: 'Back soon' })
  const [startTime, endTime] = [Date.now() + 3_600_000, Date.now() + 7_200_000]
  await run(['maintenance', '--start', String(startTime), '--end', String(endTime)])
  expect(await read('status')).toMatchObject({
    status: 0,
    scheduled_maintenance: { startTime, endTime },
  })
  await run(['maintenance', '--over'])
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
