import { describe, expect, test } from 'bun:test'
import type { Notice } from '../../../src/contract/operator/notify.ts'
import { NOTICE_CONDITIONS } from '../../../src/operator/notify/conditions.ts'
import { readNotifyConfig } from '../../../src/operator/notify/config.ts'
import { deliveryRequest } from '../../../src/operator/notify/message.ts'
import { AWAY, openNotifier, START_MS } from './fixture.ts'

const TOKEN = '123456:canary-Token_1'
const table = (rows: object) =>
  `[[targets]]\n${Object.entries(rows)
    .map(([key, value]) => `${key} = "${value}"\n`)
    .join('')}`
const SLACK = table({ kind: 'slack', url: 'https://hooks.slack.example/services/canary' })
const DISCORD = table({ kind: 'discord', url: 'https://discord.example/api/webhooks/1/canary' })
const TELEGRAM = table({
  ...{ kind: 'telegram', url: 'https://bots.example', token: TOKEN, chat: '-1001' },
})

describe('a chat', () => {
  test('gets each notice once, in the form of its service', async () => {
    const { world, pass, sent } = openNotifier(SLACK + DISCORD + TELEGRAM)
    world.missing = AWAY
    await pass(2 * 60_000)
    expect(sent.map(({ url }) => url)).toEqual([
      'https://hooks.slack.example/services/canary',
      'https://discord.example/api/webhooks/1/canary',
      `https://bots.example/bot${TOKEN}/sendMessage`,
    ])
    const [slack, discord, telegram] = sent.map(({ text }) => JSON.parse(text))
    for (const text of [slack.text, discord.content, telegram.text]) {
      expect(text).toContain(NOTICE_CONDITIONS.venue_away.title)
      expect(text).toContain(NOTICE_CONDITIONS.venue_away.action)
    }
    expect(discord).toMatchObject({ allowed_mentions: { parse: [] }, flags: 4 })
    expect(slack).toMatchObject({ unfurl_links: false, unfurl_media: false })
    expect(telegram).toMatchObject({
      chat_id: '-1001',
      link_preview_options: { is_disabled: true },
    })
  })

  test('is asked again after a refusal, and its secrets never reach the log', async () => {
    const { world, pass, sent, lines } = openNotifier(SLACK + DISCORD + TELEGRAM)
    world.missing = AWAY
    world.answers = (url) =>
      url.includes('discord')
        ? new Response(TOKEN, { status: 404 })
        : new Error(`unable to connect to ${url}`)
    await pass(2 * 60_000)
    expect(sent).toHaveLength(9)
    expect(lines.map(([event]) => event)).toEqual(Array(9).fill('notice_not_delivered'))
    expect(JSON.stringify(lines)).not.toMatch(/canary|123456|example|-1001/)
  })

  test.each([
    ['slack', SLACK, 4000],
    ['discord', DISCORD, 2000],
    ['telegram', TELEGRAM, 4096],
  ])('of %s gets no longer text than it takes, and no markup of its own', async (_, file, max) => {
    const [target] = readNotifyConfig(file).targets
    if (!target || target.kind === 'mail') throw new Error('no chat')
    const notice: Notice = {
      ...{
        name: 'x',
        state: 'happened',
        level: 'warn',
        figure: '',
        action: '',
        command: '',
        sinceMs: START_MS,
      },
      title: `<!channel> ${'y'.repeat(5000)}`,
    }
    const message = {
      id: '1',
      atMs: START_MS,
      service: 'prepd',
      instance: '',
      host: '',
      notices: [notice],
    }
    const body = Object(await deliveryRequest(target, message, START_MS).json())
    const text: string = body.text ?? body.content
    const plain = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>')
    expect(plain).toHaveLength(max)
    expect(text.includes('<!channel>')).toBe(target.kind !== 'slack')
  })
})
