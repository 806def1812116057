import { describe, expect, test } from 'bun:test'
import { UsageError } from '../../../src/core/settings/usage-error.ts'
import { quietEndMs, readNotifyConfig } from '../../../src/operator/notify/config.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const WEBHOOK = `[[targets]]\nkind = "webhook"\nurl = "https://hooks.example/a"\nsecret = "${SECRET}"\n`

const MAIL_URL = 'smtps://USER:PASSWORD@HOST, or smtp:// for STARTTLS, without a path'
const MAIL = `[[targets]]\nkind = "mail"\nurl = "smtps://u:hunter2@m.example"\nfrom = "p@a.example"\nto = ["me@a.example"]\n`

const BOT = `[[targets]]\nkind = "telegram"\nurl = "https://bots.example"\ntoken = "1:hunter2"\nchat = "-100"\n`

function linesOf(text: string): readonly string[] {
  try {
    readNotifyConfig(text)
    return []
  } catch (error) {
    if (error instanceof UsageError) return error.lines
    throw error
  }
}

describe('the file of targets', () => {
  test('that ships as an example is sound, with one target of each kind', async () => {
    const path = new URL('../../../config/notify.example.toml', import.meta.url)
    const { targets, quiet, heartbeatMinute } = readNotifyConfig(await Bun.file(path).text())
    expect(targets.map(({ kind }) => kind).join(' ')).toBe(
      'webhook ntfy mail slack discord telegram',
    )
    expect(quiet).toEqual({ fromMinute: 22 * 60, toMinute: 7 * 60 })
    expect(heartbeatMinute).toBe(8 * 60)
  })

  test('names targets apart, without anything of their address', () => {
    const other = '[[targets]]\nkind = "ntfy"\nurl = "https://ntfy.example/secret-topic"\n'
    const bots = BOT + BOT.replace('-100', '-101')
    const names = readNotifyConfig(WEBHOOK + other + bots).targets.map(({ name }) => name)
    expect(names).toEqual([
      expect.stringMatching(/^webhook [0-9a-f]{6}$/),
      expect.stringMatching(/^ntfy [0-9a-f]{6}$/),
      expect.stringMatching(/^telegram [0-9a-f]{6}$/),
      expect.stringMatching(/^telegram [0-9a-f]{6}$/),
    ])
    expect(new Set(names).size).toBe(4)
  })

  test.each([
    ['', 'targets is missing: give a list of one to eight targets'],
    ['targets = []', 'targets must be a list of one to eight targets'],
    ['targets = [', 'line 1 is not TOML'],
    [
      `quiet = "25:00-07:00"\n${WEBHOOK}`,
      'quiet must be a period of the day in UTC, such as "22:00-07:00"',
    ],
    [
      WEBHOOK.replace('"webhook"', '"sms"'),
      'targets[0].kind must be "webhook", "ntfy", "mail", "slack", "discord" or "telegram"',
    ],
    [BOT.replace(/token.*/, ''), 'targets[0].token must be that of a bot, as BotFather gave it'],
    [
      BOT.replace(':hunter2', '/../x'),
      'targets[0].token must be that of a bot, as BotFather gave it',
    ],
    [
      BOT.replace(/chat.*/, ''),
      'targets[0].chat is missing: give the id of a chat that the bot is in',
    ],
    [
      BOT.replace('-100', 'a b'),
      'targets[0].chat must be the id of a chat, or the @name of a channel',
    ],
    [`${WEBHOOK}chat = "-1"\n`, 'targets[0].chat is of telegram alone'],
    [
      '[[targets]]\nkind = "slack"\nurl = "http://hooks.example/hunter2"\n',
      'targets[0].url must be an https URL, or an http one to loopback',
    ],
    [MAIL.replace(/from.*/, ''), 'targets[0].from is missing: give the address that sends'],
    [
      MAIL.replace(/to = .*/, ''),
      'targets[0].to is missing: give a list of one to eight addresses',
    ],
    [MAIL.replace('me@a', 'me, you@a'), 'targets[0].to[0] must be a mail address'],
    ...['https://m.example', 'smtps://m.example/path', 'smtps://', 'smtp://u:%zz@m.example'].map(
      (url) => [MAIL.replace(/smtps.*(?=")/, url), `targets[0].url must be ${MAIL_URL}`] as const,
    ),
    [`${MAIL}token = "x"\n`, 'targets[0].token is of ntfy and telegram alone'],
    [`${WEBHOOK}from = "a@b"\n`, 'targets[0].from is of mail alone'],
    [
      WEBHOOK.replace('https:', 'http:'),
      'targets[0].url must be an https URL, or an http one to loopback',
    ],
    [
      WEBHOOK.replace('hooks.example', 'me:pw@hooks.example'),
      'targets[0].url must be an https URL, or an http one to loopback',
    ],
    [
      WEBHOOK.replace(/secret.*/, ''),
      'targets[0].secret is missing: give whsec_ and 24 to 64 bytes in base64',
    ],
    [
      WEBHOOK.replace(SECRET, 'plain-hunter2'),
      'targets[0].secret must be whsec_ and 24 to 64 bytes in base64',
    ],
    [`${WEBHOOK}token = "x"\n`, 'targets[0].token is of ntfy and telegram alone'],
    [WEBHOOK.replace('"webhook"', '"ntfy"'), 'targets[0].secret is of webhooks alone'],
    [`${WEBHOOK}colour = 1\n`, 'targets[0].colour is not known here'],
  ])('is refused in words that repeat no value: %#', (text, line) => {
    expect(linesOf(text)).toEqual([line])
    expect(line).not.toMatch(/hunter2|pw@|AAAA/)
  })

  test('may lead to loopback without TLS', () => {
    expect(linesOf(WEBHOOK.replace('https://hooks.example', 'http://127.0.0.1:9'))).toEqual([])
  })
})

describe('quiet hours', () => {
  const at = (time: string) => Date.parse(`2026-01-02T${time}:30Z`)
  const NIGHT = { fromMinute: 22 * 60, toMinute: 7 * 60 }
  const NOON = { fromMinute: 12 * 60, toMinute: 13 * 60 }

  test.each([
    [NIGHT, '21:59', null],
    [NIGHT, '22:00', '2026-01-03T07:00:00.000Z'],
    [NIGHT, '06:59', '2026-01-02T07:00:00.000Z'],
    [NIGHT, '07:00', null],
    [NOON, '11:59', null],
    [NOON, '12:00', '2026-01-02T13:00:00.000Z'],
    [NOON, '13:00', null],
    [null, '03:00', null],
  ])('%j hold a message of %s until %p', (quiet, time, end) => {
    expect(quietEndMs(quiet, at(time))).toBe(end === null ? at(time) : Date.parse(end))
  })
})
