import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import type { ServiceTransport } from '../../src/agents/client/client.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { settingsFolder } from '../settings-folder.ts'
import { openTarget, type Target } from '../target.ts'
import { REAL_WORLD } from './real-world.ts'
import { runCommand } from './run-command.ts'

const KEY = 'the-operator-key-of-the-commands-of-acts'
const folder = settingsFolder()
const served = folder.path('served')
let target: Target

beforeAll(async () => {
  target = await openTarget('in process', {
    DATA_DIR: served,
    OPERATOR_KEY: KEY,
    // So slow that a window is still in the list however long that takes.
    LIMIT_READ: '120/86400s burst 120',
    LIMIT_ADMIN: 'off',
  })
})
afterAll(async () => {
  await target.stop()
  folder[Symbol.dispose]()
})

/** A machine on which the target's operator listener is at the default address, and nothing anywhere else. */
const network: ServiceTransport = async (request) => {
  const { pathname, search, port } = new URL(request.url)
  if (port !== '8081') throw new Error('nothing listens here')
  const { method, headers } = request
  const body = method === 'GET' ? null : await request.text()
  return target.ops(pathname + search, { method, headers, body })
}
const WORLD = {
  ...REAL_WORLD,
  transport: network,
}
const run = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runCommand(folder, argv, { PREPD_OPERATOR_KEY: KEY, ...env }, WORLD)
const json = async (...argv: readonly string[]) =>
  JSON.parse((await run([...argv, '--json'])).lines.join(''))

const COMMANDS = [
  ['status'],
  ['maintenance', 'on', '--sentence', 'Back soon.'],
  ['limits', 'list'],
  ['blocks', 'add', '--caller', '203.0.113.9'],
]

describe('where no server answers', () => {
  const dataDir = folder.path('unserved')
  const AWAY = ['--ops-url', 'http://127.0.0.1:9999']
  test.each(COMMANDS)('%s %s fails, says so, and touches no data directory', async (...argv) => {
    openSqlite(`${dataDir}/prepd.sqlite`, 0).close()
    const before = await Bun.file(`${dataDir}/prepd.sqlite`).bytes()
    const ways = [
      run([...argv, ...AWAY]),
      run([...argv, ...AWAY, '--data-dir', dataDir]),
      run([...argv, '--ops-listen', '127.0.0.1:9999', '--data-dir', dataDir]),
      run([...argv, '--ops-listen', '127.0.0.1:9999'], { PREPD_DATA_DIR: dataDir }),
      run([...argv, '--ops-listen', 'off'], { PREPD_DATA_DIR: dataDir }),
    ]
    for (const { lines, exitCode } of await Promise.all(ways)) {
      expect(exitCode).toBe(1)
      expect(lines.join('\n')).toContain('no prepd answers at ')
    }
    expect(await Bun.file(`${dataDir}/prepd.sqlite`).bytes()).toEqual(before)
  })

  test('--offline works on the data directory, and says which', async () => {
    const offline = ['--offline', '--data-dir', dataDir]
    openSqlite(`${dataDir}/prepd.sqlite`, 0).close()
    const { lines, exitCode } = await run([...offline, 'maintenance', 'on', '--sentence', 'Later.'])
    expect({ exitCode, first: lines[0] }).toEqual({
      exitCode: 0,
      first: `on ${dataDir}, without a server`,
    })
    const { maintenance, on } = await json('status', ...offline)
    expect({ maintenance, on }).toEqual({
      maintenance: 'Later.',
      on: { url: null, processId: null, records: dataDir },
    })
    expect((await json('status')).maintenance).toBeNull()
  })

  test('--offline makes no store, takes none from a server, and no address', async () => {
    const none = folder.path('none')
    const { lines, exitCode } = await run(['status', '--offline', '--data-dir', none])
    expect({ lines, exitCode }).toEqual({ lines: [`there is no store in ${none}`], exitCode: 1 })
    expect(existsSync(none)).toBe(false)
    await expect(run(['status', '--offline', '--data-dir', served])).rejects.toThrow(
      'is in use by another prepd',
    )
    expect((await run(['status', '--offline', ...AWAY])).exitCode).toBe(64)
  })
})

test('a server without an operator key is named, and how to make one', async () => {
  const keyless = await openTarget('in process', { DATA_DIR: folder.path('keyless') })
  const transport: ServiceTransport = async (request) => {
    const { pathname, search, port } = new URL(request.url)
    const body = request.method === 'GET' ? null : await request.text()
    const init = { method: request.method, headers: request.headers, body }
    return port === '8081' ? keyless.ops(pathname + search, init) : keyless.fetch(pathname, init)
  }
  for (const [argv, port] of [
    [['status'], 8081],
    [['relayed', 'show', '--identity', '0'.repeat(64)], 8081],
    [['venue', 'reset'], 8080],
    [['venue', 'promote', '--account', `0x${'1'.repeat(64)}`], 8080],
  ] as const) {
    const env = { PREPD_OPERATOR_KEY: KEY }
    const ended = await runCommand(folder, argv, env, { ...WORLD, transport })
    expect(ended).toEqual({
      lines: [
        `the server at http://127.0.0.1:${port} has no operator key. Make one with: prepd --mode admin rotate operator FILE, name FILE in PREPD_OPERATOR_KEY_FILE, and restart the server`,
      ],
      exitCode: 1,
    })
  }
  await keyless.stop()
})

describe('on a running server', () => {
  const place = `on http://127.0.0.1:8081: process ${process.pid}, records in ${served}`

  test.each(COMMANDS)('%s %s says on which', async (...argv) => {
    const { lines, exitCode } = await run(argv)
    expect({ first: lines[0], exitCode }).toEqual({ first: place, exitCode: 0 })
    await run(['maintenance', 'off'])
  })

  test('a refusal says so as well, and what was expected', async () => {
    const wrong = { PREPD_OPERATOR_KEY: 'some-other-key-of-thirty-two-chars' }
    const { lines, exitCode } = await run(['status'], wrong)
    expect(exitCode).toBe(1)
    expect(lines[0]).toBe('on http://127.0.0.1:8081: process unknown, records in an unknown place')
    expect(lines[1]).toStartWith('unauthorized: ')
  })

  test('a write that is not claimed is not found, and no key is missed', async () => {
    const { lines } = await run(['relayed', 'show', '--identity', '0'.repeat(64)])
    expect(lines[1]).toStartWith('not_found: ')
    expect(lines.join('\n')).not.toContain('rotate operator')
  })

  test('limits are set by every key that the list shows, and blocks removed by theirs', async () => {
    for (const address of ['203.0.113.7', '2001:db8:1:2::5'])
      await target.fetch('/api/prep/config', { headers: { 'x-forwarded-for': address } })
    const { rows } = await json('limits', 'list', '--policy', 'read')
    const keys = rows.map(({ key }: { key: string }) => key)
    expect(keys).toContain('2001:db8:1:2::/64')
    for (const key of keys) {
      const { limit } = await json('limits', 'show', '--policy', 'read', '--key', key)
      const set = ['limits', 'set', '--policy', 'read', '--key', key, '--limit', limit]
      expect(await json(...set)).toMatchObject({ key, limit, isOwn: true })
    }
    await run(['blocks', 'add', '--caller', '2001:db8:1:2::9'])
    const blocks = await json('blocks', 'list')
    for (const { caller } of blocks.rows)
      expect((await run(['blocks', 'remove', '--caller', caller])).exitCode).toBe(0)
    expect((await json('blocks', 'list')).count).toBe(0)
  })

  test('a limit of an address counts, however it is spelled, and is taken back so', async () => {
    const window = ['--policy', 'read', '--key']
    const set = [...window, '2001:0DB8:9::1', '--limit', '1/60s burst 1']
    expect(await json('limits', 'set', ...set)).toMatchObject({ key: '2001:db8:9::/64' })
    const from = () =>
      target.fetch('/api/prep/config', { headers: { 'x-forwarded-for': '2001:db8:9::77' } })
    expect([(await from()).status, (await from()).status]).toEqual([200, 429])
    expect(await json('limits', 'reset', ...window, '2001:db8:9::5')).toMatchObject({
      isOwn: false,
    })
    expect((await from()).status).toBe(200)
  })

  test.each([
    { policy: 'read', key: 'not-an-address' },
    { policy: 'read', key: '2001:db8::1:0:0:0/64' },
    { policy: 'read', key: `account:0x${'a'.repeat(64)}` },
    { policy: 'account', key: '203.0.113.7' },
    { policy: 'admin', key: 'operators' },
  ])('a limit of $policy for $key is refused: nobody can have it', async ({ policy, key }) => {
    const { lines, exitCode } = await run([
      ...['limits', 'set', '--policy', policy],
      ...['--key', key, '--limit', 'off'],
    ])
    expect(exitCode).toBe(1)
    expect(lines[1]).toEndWith(
      '--key must be an address, an account, or a key as limits list shows it.',
    )
    const { own } = await json('limits', 'list')
    expect(own).not.toContainEqual(expect.objectContaining({ policy, key }))
  })
})
