import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandWorld } from '../../src/main/command-world.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { settingsFolder } from '../settings-folder.ts'
import { runCommand } from './run-command.ts'

const START_MS = Date.parse('2026-11-23T05:30:00Z')

let folder: ReturnType<typeof settingsFolder>
let nowMs: number
let settings: Record<string, string>

beforeEach(async () => {
  folder = settingsFolder()
  nowMs = START_MS
  settings = { PREPD_DATA_DIR: folder.path('data'), PREPD_BACKUP: folder.path('backup.toml') }
  const store = openSqlite(join(folder.path('data'), 'prepd.sqlite'), nowMs)
  await store.proofs.add('0x1', 'ed25519:key', nowMs)
  store.close()
  mkdirSync(folder.path('kept'))
  const { recipient } = await json(['backups', 'key', folder.path('key.txt')])
  const lines = [`recipients = ["${recipient}"]`, `folder = "${folder.path('kept')}"`]
  writeFileSync(folder.path('backup.toml'), lines.join('\n'))
})
afterEach(() => folder[Symbol.dispose]())

async function run(argv: readonly string[], env: Readonly<Record<string, string>> = settings) {
  const world = commandWorld(
    {
      clock: { nowMs: () => nowMs },
      monotonicMs: () => 0,
      random: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
    },
    {},
  )
  const { lines, exitCode } = await runCommand(folder, argv, env, world)
  return { exitCode, text: lines.join('\n') }
}

async function json(argv: readonly string[], env?: Readonly<Record<string, string>>) {
  const { exitCode, text } = await run([...argv, '--json'], env)
  return { exitCode, ...Object(JSON.parse(text)) }
}

const WITH_KEY = () => ['--identity', folder.path('key.txt')]
const make = () => json(['backups', 'make'])

describe('the commands of backups', () => {
  test('make a key of mode 0600, and say what losing it means', async () => {
    const { text } = await run(['backups', 'key', folder.path('other.txt')])
    expect(text).toMatch(/recipient +age1/)
    expect(text).toContain('only this key opens the backups')
    expect(text).not.toContain('AGE-SECRET-KEY')
    expect(statSync(folder.path('other.txt')).mode & 0o777).toBe(0o600)
    expect((await run(['backups', 'key', folder.path('other.txt')])).exitCode).toBe(1)
  })

  // Slow: two backups are made, encrypted and opened again.
  test('make backups, list them the newest first, and drill the last with the key', async () => {
    expect(await make()).toMatchObject({ exitCode: 0, drilled: true, removed: 0 })
    nowMs += 3_600_000
    await make()
    const { backups } = await json(['backups', 'list'])
    expect(backups.map(({ madeAtMs }: { madeAtMs: number }) => madeAtMs)).toEqual([nowMs, START_MS])
    const drilled = await json(['backups', 'drill', ...WITH_KEY()])
    expect(drilled).toMatchObject({ exitCode: 0, backup: backups[0].backup, files: 1 })
  })

  test.each([
    ['latest', () => 'latest'],
    ['a name', () => 'prepd-20261123T053000Z.tar.zst.age'],
    ['a file', () => folder.path('kept/prepd-20261123T053000Z.tar.zst.age')],
  ])('restore one by %s into an empty directory', async (_, wanted) => {
    await make()
    const empty = { ...settings, PREPD_DATA_DIR: folder.path('new') }
    const restored = await json(['restore', wanted(), ...WITH_KEY()], empty)
    expect(restored).toMatchObject({ exitCode: 0, madeAt: '2026-11-23T05:30:00.000Z' })
    expect((await json(['db', 'check'], empty)).sound).toBe(true)
  })

  test.each([
    ['without the key', () => ['restore', 'latest'], '--identity must name'],
    [
      'with a file that is no key',
      () => ['restore', 'latest', '--identity', folder.path('backup.toml')],
      'without a key',
    ],
    [
      'that is not there',
      () => ['restore', 's3://x/y', ...WITH_KEY()],
      'there is no backup s3://x/y',
    ],
    [
      'into a directory with a store',
      () => ['restore', 'latest', ...WITH_KEY()],
      'holds a store already',
    ],
  ])('restore none %s, and say why', async (_, argv, reason) => {
    await make()
    // SQLite removes its journals when the last connection closes.
    const kept = () => readdirSync(folder.path('data')).filter((name) => !/-(wal|shm)$/.test(name))
    const before = kept()
    const { exitCode, text } = await run(argv())
    expect({ exitCode, text }).toEqual({ exitCode: 1, text: expect.stringContaining(reason) })
    expect(kept()).toEqual(before)
  })

  test('refuse without the setting, and with records in PostgreSQL', async () => {
    const { PREPD_DATA_DIR = '' } = settings
    const { exitCode, text } = await run(['backups', 'make'], { PREPD_DATA_DIR })
    expect({ exitCode, text }).toEqual({
      exitCode: 1,
      text: expect.stringContaining('PREPD_BACKUP must be set'),
    })
  })

  test('are checked with the configuration', async () => {
    expect((await run(['config', 'check'])).text).toContain('ok')
    writeFileSync(folder.path('backup.toml'), 'recipients = []')
    expect((await run(['config', 'check'])).text).toContain(
      'recipients must be a list of one to eight',
    )
  })
})
