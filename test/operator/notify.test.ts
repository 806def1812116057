import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { type AnswerSpec, startRecordingUpstream } from '../recording-upstream.ts'
import { settingsFolder } from '../settings-folder.ts'
import { NO_NETWORK, runCommand } from './run-command.ts'

const SECRET_BYTES = Buffer.alloc(32, 7)
const SECRET = `whsec_${SECRET_BYTES.toString('base64')}`
const folder = settingsFolder()
const world = { ...NO_NETWORK, transport: (request: Request) => fetch(request) }
let receiver: Awaited<ReturnType<typeof startRecordingUpstream>>
let answers: Readonly<Record<string, AnswerSpec>> = {}
beforeAll(async () => {
  receiver = await startRecordingUpstream(({ target }) => answers[target] ?? { json: {} })
})
afterAll(async () => {
  await receiver.stop()
  folder[Symbol.dispose]()
})

function fileOf(): string {
  return folder.write(
    'notify.toml',
    `[[targets]]\nkind = "webhook"\nurl = "${receiver.url}/hook"\nsecret = "${SECRET}"\n` +
      `[[targets]]\nkind = "ntfy"\nurl = "${receiver.url}/topic"\n`,
  )
}

test('a test goes to every target at once, signed, and says what became of each', async () => {
  answers = { '/topic': { status: 403, json: {} } }
  const { lines, exitCode } = await runCommand(
    folder,
    ['notify', 'test', '--notify', fileOf()],
    {},
    world,
  )
  expect(exitCode).toBe(1)
  expect(lines).toEqual([
    expect.stringMatching(/^webhook [0-9a-f]{6}: delivered$/),
    expect.stringMatching(/^ntfy [0-9a-f]{6}: http_403$/),
  ])
  const [hook] = receiver.received.filter(({ target }) => target === '/hook')
  const header = (name: string) =>
    hook?.headers.find(([own]) => own.toLowerCase() === name)?.[1] ?? ''
  const signed = `${header('webhook-id')}.${header('webhook-timestamp')}.${hook?.text}`
  const own = createHmac('sha256', SECRET_BYTES).update(signed).digest('base64')
  expect(header('webhook-signature')).toBe(`v1,${own}`)
  expect(JSON.parse(hook?.text ?? '')).toMatchObject({
    type: 'prepd.notices',
    data: { service: 'prepd', notices: [{ name: 'test', state: 'happened' }] },
  })
  answers = {}
  const again = await runCommand(
    folder,
    ['notify', 'test', '--notify', fileOf(), '--json'],
    {},
    world,
  )
  expect(again.exitCode).toBe(0)
  expect(JSON.parse(again.lines.join('')).results).toHaveLength(2)
})

test('without a file, or with one that is not sound, nothing is sent', async () => {
  const before = receiver.received.length
  expect(await runCommand(folder, ['notify', 'test'], {}, world)).toEqual({
    lines: ['PREPD_NOTIFY must be set as for the running server'],
    exitCode: 64,
  })
  const broken = folder.write('broken.toml', 'targets = []')
  const run = (...argv: string[]) => runCommand(folder, [...argv, '--notify', broken], {}, world)
  expect(await run('notify', 'test')).toMatchObject({ exitCode: 64 })
  const checked = await run('config', 'check')
  expect(checked.exitCode).not.toBe(0)
  expect(checked.lines.join('\n')).toContain(
    `PREPD_NOTIFY: ${broken}: targets must be a list of one to eight targets`,
  )
  expect(receiver.received.length).toBe(before)
})
