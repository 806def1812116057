// Slow: messages that wait are looked for every second.
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readNotifyConfig } from '../../src/operator/notify/config.ts'
import { noteStart } from '../../src/operator/notify/starts.ts'
import { openNoticeFile } from '../../src/store/entity-file.ts'
import { until } from '../cluster/processes.ts'
import { START_MS } from '../operator/notify/fixture.ts'
import { startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget } from '../target.ts'

const folder = mkdtempSync(join(tmpdir(), 'prepd-notices-'))
afterAll(() => rmSync(folder, { recursive: true }))

function fileOf(text: string): string {
  const path = join(folder, `${crypto.randomUUID()}.toml`)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

/** A data directory with a message that waits for the one target of a file. */
async function withMessage(url: string) {
  const file = fileOf(`[[targets]]\nkind = "ntfy"\nurl = "${url}/topic"\n`)
  const [target] = readNotifyConfig(await Bun.file(file).text()).targets
  const notice = { name: 'venue_away', state: 'begun', level: 'page', title: 'Away.', action: '' }
  const message = { id: 'one', atMs: Date.now(), service: 'prepd' }
  const notices = [{ ...notice, sinceMs: START_MS }]
  const row = { target: target?.name, message: { ...message, notices }, attempts: 2, dueMs: 0 }
  const dataDir = join(folder, crypto.randomUUID())
  const store = openNoticeFile(dataDir)
  store.commit([{ kind: 'message', key: 'one', json: JSON.stringify(row) }])
  store.close()
  return { file, dataDir }
}

test('a server delivers what waited when it was stopped', async () => {
  const receiver = await startRecordingUpstream(() => ({ json: {} }))
  const { file, dataDir } = await withMessage(receiver.url)
  const server = await openTarget('in process', { DATA_DIR: dataDir, NOTIFY: file })
  await until(async () => receiver.received.length > 0)
  expect(receiver.received[0]?.text).toStartWith('Away. Since 2026-01-02T12:00:00.000Z.\n')
  await until(async () => server.log().includes('notice_delivered'))
  await server.stop()
  const after = openNoticeFile(dataDir)
  expect([...after.load('message')]).toEqual([])
  after.close()
  await receiver.stop()
})

test('a message that is on its way when the server stops is kept, and nothing fails', async () => {
  const released = Promise.withResolvers<void>()
  const receiver = await startRecordingUpstream(async () => {
    await released.promise
    return { json: {} }
  })
  const { file, dataDir } = await withMessage(receiver.url)
  const server = await openTarget('in process', { DATA_DIR: dataDir, NOTIFY: file })
  await until(async () => receiver.received.length > 0)
  await server.stop()
  released.resolve()
  await until(async () => server.log().includes('notice_delivered'))
  expect(server.log()).not.toContain('fault')
  const after = openNoticeFile(dataDir)
  expect([...after.load('message')]).toHaveLength(1)
  after.close()
  await receiver.stop()
})

test.each([
  [3, ['crash_loop']],
  [2, []],
])(
  'a start after %i crashes leaves the message %j of them, however soon it ends',
  async (crashes, names) => {
    const file = fileOf('[[targets]]\nkind = "ntfy"\nurl = "http://127.0.0.1:9/topic"\n')
    const dataDir = join(folder, crypto.randomUUID())
    const before = openNoticeFile(dataDir)
    for (let crash = crashes; crash > 0; crash -= 1) noteStart(before, Date.now() - 1000 * crash)
    before.close()
    const server = await openTarget('in process', { DATA_DIR: dataDir, NOTIFY: file })
    await server.stop()
    const after = openNoticeFile(dataDir)
    const messages = [...after.load('message')].map(({ json }) => JSON.parse(json).message)
    after.close()
    // Errors of other tests in this process may be notified too.
    const sent = messages.flatMap(({ notices }) => notices).map(({ name }) => name)
    expect(sent.filter((name) => name === 'crash_loop')).toEqual(names)
  },
)

test('a file of targets that is not sound ends the start, in words that repeat no secret', async () => {
  const file = fileOf(
    '[[targets]]\nkind = "webhook"\nurl = "https://a.example"\nsecret = "hunter2"\n',
  )
  const start = openTarget('in process', { NOTIFY: file })
  await expect(start).rejects.toThrow('targets[0].secret must be whsec_')
  await expect(start).rejects.not.toThrow('hunter2')
})
