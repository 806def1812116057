import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { settingsFolder } from '../settings-folder.ts'
import { NO_NETWORK, runCommand } from './run-command.ts'

const folder = settingsFolder()
afterAll(() => folder[Symbol.dispose]())

const asked: string[] = []
let answer = (_: Request): Promise<Response> => Promise.reject(new Error('refused'))
const WORLD = {
  ...NO_NETWORK,
  transport: (request: Request) => {
    asked.push(request.url)
    return answer(request)
  },
}
const PLACE = ['--listen', '127.0.0.1:0', '--data-dir', folder.path('none')]

beforeEach(() => {
  asked.length = 0
})

type Row = { readonly id: string; readonly state: string; readonly seen: string; remedy?: string }

async function doctor(opsListen: string) {
  const argv = ['doctor', ...PLACE, '--ops-listen', opsListen, '--json']
  const { lines, exitCode } = await runCommand(folder, argv, {}, WORLD)
  const { findings }: { findings: Row[] } = JSON.parse(lines.join(''))
  return { exitCode, found: findings.filter(({ id }) => id === 'server') }
}

describe('doctor, of the running server,', () => {
  test.each([
    ['refuses the connection', () => Promise.reject(new Error('refused'))],
    ['is no prepd', () => Promise.resolve(new Response('<html>'))],
    ['says of itself neither', () => Promise.resolve(Response.json({ ready: 'yes' }))],
    ['answers without end', () => Promise.resolve(new Response('['.repeat(100_000)))],
  ])(
    'says where none answers, what was not checked and how to start one: it %s',
    async (_, given) => {
      answer = given
      const { exitCode, found } = await doctor('[::]:1')
      expect(found).toEqual([
        {
          id: 'server',
          state: 'warn',
          seen: 'no server answers at http://[::1]:1: whether it is ready and what is degraded were not checked',
          remedy:
            'Start one with the same settings: systemctl start prepd, or /usr/local/bin/prepd',
        },
      ])
      expect(asked).toEqual(['http://[::1]:1/readyz'])
      expect(exitCode).toBe(0)
    },
  )

  test('says that it is ready', async () => {
    answer = async () => Response.json({ ready: true, degraded: [] })
    expect(await doctor('127.0.0.1:1')).toEqual({
      exitCode: 0,
      found: [{ id: 'server', state: 'ok', seen: 'the server at http://127.0.0.1:1 is ready' }],
    })
  })

  test('fails when it is not ready, and names what is missing', async () => {
    answer = async () => Response.json({ ready: false, missing: 'the\nstore' }, { status: 503 })
    const { exitCode, found } = await doctor('127.0.0.1:1')
    expect(found).toMatchObject([
      { state: 'fail', seen: 'the server at http://127.0.0.1:1 is not ready: the?store' },
    ])
    expect(exitCode).toBe(1)
  })

  test('warns of what is degraded, with the reasons that it gives', async () => {
    const reasons = { valkey: 'It refuses the password.', postgres: 'A reason of what works.' }
    answer = async () => Response.json({ ready: true, degraded: ['valkey', 'backup'], reasons })
    const { exitCode, found } = await doctor('127.0.0.1:1')
    expect(found).toEqual([
      {
        id: 'server',
        state: 'warn',
        seen: 'the server at http://127.0.0.1:1 is ready, and degraded: valkey, backup',
        remedy: 'It refuses the password.',
      },
    ])
    expect(exitCode).toBe(0)
  })

  test.each([
    ['0.0054', 'ok', '5.4 ms'],
    ['0.05', 'warn', '50.0 ms'],
  ])('tells its last wait for the disk: %s s is %s', async (seconds, state, shown) => {
    const metrics = `prepd_store_bytes 1\nprepd_store_sync_seconds ${seconds}\n`
    answer = async ({ url }) =>
      url.endsWith('/metrics') ? new Response(metrics) : Response.json({ ready: true })
    const { exitCode, found } = await doctor('127.0.0.1:1')
    expect(found).toMatchObject([
      { state: 'ok', seen: 'the server at http://127.0.0.1:1 is ready' },
      { state, seen: `its last wait for the disk took ${shown}` },
    ])
    expect(exitCode).toBe(0)
    if (state === 'warn') expect(found[1]?.remedy).toContain('run doctor again')
  })

  test('asks nobody where its listener is off', async () => {
    const { found } = await doctor('off')
    expect(found).toMatchObject([
      { state: 'ok', seen: expect.stringContaining('PREPD_OPS_LISTEN') },
    ])
    expect(asked).toEqual([])
  })

  test('is no part of config check', async () => {
    await runCommand(
      folder,
      ['config', 'check', ...PLACE, '--ops-listen', '127.0.0.1:1'],
      {},
      WORLD,
    )
    expect(asked).toEqual([])
  })
})
