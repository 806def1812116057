import { afterEach, describe, expect, test } from 'bun:test'
import type { Message } from '../../../src/contract/operator/notify.ts'
import { readNotifyConfig } from '../../../src/operator/notify/config.ts'
import { sendMessage } from '../../../src/operator/notify/outbox.ts'
import { temporaryFolder } from '../../surface/spawned.ts'
import { writePair } from '../../tls-pair.ts'
import { START_MS } from './fixture.ts'

const MESSAGE: Message = {
  id: '000000000000001-ab',
  atMs: START_MS,
  service: 'prepd',
  instance: 'host:8080',
  host: 'host',
  notices: [
    {
      name: 'disk_low',
      state: 'begun',
      level: 'warn',
      title: 'Little is free: “prepd” is tight.',
      figure: '512 MiB are free.',
      action: 'Make room.',
      command: 'prepd --mode admin doctor',
      sinceMs: START_MS,
    },
  ],
}

type Mailbox = { readonly commands: string[]; text: string; readonly url: string }
const open: { stop: (now: boolean) => void }[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.stop(true)
})

/** An SMTP server that takes mail, but for the command that it is to refuse. */
function startMail(refuse: string | null = null, tls?: { cert: string; key: string }): Mailbox {
  const box = { commands: [] as string[], text: '', url: '' }
  const server = Bun.listen<{ isData: boolean; rest: string }>({
    hostname: '127.0.0.1',
    port: 0,
    ...(tls && { tls: { cert: Bun.file(tls.cert), key: Bun.file(tls.key) } }),
    socket: {
      open: (socket) => {
        socket.data = { isData: false, rest: '' }
        socket.write('220 mail.example ESMTP\r\n')
      },
      data: (socket, bytes) => {
        const lines = (socket.data.rest + bytes.toString()).split('\r\n')
        socket.data.rest = lines.pop() ?? ''
        for (const line of lines) {
          const answer = answerTo(line, socket.data)
          if (answer !== '') socket.write(`${answer}\r\n`)
        }
      },
    },
  })

  function answerTo(line: string, state: { isData: boolean }): string {
    if (state.isData) {
      // Lines that begin with a dot have a second one on the wire.
      if (line !== '.') box.text += `${line.replace(/^\.\./, '.')}\n`
      state.isData = line !== '.'
      return state.isData ? '' : '250 taken'
    }
    box.commands.push(line)
    if (refuse !== null && line.startsWith(refuse)) return '550 no'
    if (line.startsWith('EHLO')) return '250-mail.example\r\n250 AUTH PLAIN'
    if (line.startsWith('AUTH')) return '235 welcome'
    if (line === 'STARTTLS') return '502 not here'
    state.isData = line === 'DATA'
    return state.isData ? '354 go on' : '250 ok'
  }

  open.push(server)
  box.url = `smtp${tls ? 's' : ''}://me%40a:p%2Fw@127.0.0.1:${server.port}`
  return box
}

function sent({ url }: Pick<Mailbox, 'url'>): Promise<string | null> {
  const text = `[[targets]]\nkind = "mail"\nurl = "${url}"\nfrom = "prepd@a.example"\nto = ["one@b.example", "two@c.example"]\n`
  const [target] = readNotifyConfig(text).targets
  if (!target) throw new Error('no target')
  return sendMessage(() => Promise.reject(new Error('no HTTP')), target, MESSAGE, START_MS)
}

describe('mail', () => {
  test('reaches each address with what, since when and what to do, under one id', async () => {
    const box = startMail()
    expect(await sent(box)).toBeNull()
    expect(box.commands.filter((line) => /^(?:MAIL|RCPT)/.test(line))).toEqual([
      'MAIL FROM:<prepd@a.example>',
      'RCPT TO:<one@b.example>',
      'RCPT TO:<two@c.example>',
    ])
    const login = Buffer.from('\0me@a\0p/w').toString('base64')
    expect(box.commands).toContain(`AUTH PLAIN ${login}`)
    expect(box.text).toContain('Message-ID: <000000000000001-ab@a.example>\n')
    expect(box.text).toContain('Auto-Submitted: auto-generated\n')
    expect(box.text).toContain('Subject: =?UTF-8?Q?prepd=3A_Little_is_free')
    expect(box.text.replaceAll('=\n', '')).toContain('Since 2026-01-02T12:00:00.000Z. Make room.')
  })

  test.each([
    ['AUTH', 'smtp_550'],
    ['MAIL', 'smtp_550'],
    ['DATA', 'smtp_550'],
  ])('that is refused at %s is not delivered: %s', async (command, fault) => {
    const box = startMail(command)
    expect(await sent(box)).toBe(fault)
    expect(box.text).toBe('')
  })

  test('goes to no server whose certificate nobody vouches for, and to none that is away', async () => {
    using folder = temporaryFolder()
    const box = startMail(null, writePair(folder.path, 'mail'))
    expect(await sent(box)).toBe('unreachable')
    expect(box.commands).toEqual([])
    for (const server of open.splice(0)) server.stop(true)
    expect(await sent(box)).toBe('unreachable')
  })

  test('leaves this machine encrypted only, though the server offers no STARTTLS', async () => {
    const box = startMail()
    // The same server, by an address that is not one of loopback.
    const outside = box.url.replace('127.0.0.1', '0.0.0.0')
    expect(await sent({ url: outside })).not.toBeNull()
    expect(box.commands.filter((line) => /^(?:AUTH|MAIL)/.test(line))).toEqual([])
  })
})
