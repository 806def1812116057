import { afterAll, expect, test } from 'bun:test'
import { rejection } from '../rejection.ts'
import { settingsFolder } from '../settings-folder.ts'
import { REAL_WORLD } from './real-world.ts'
import { runCommand } from './run-command.ts'

const folder = settingsFolder()
afterAll(() => folder[Symbol.dispose]())

const ACCOUNT = `0x${'ab'.repeat(32)}`
const KEY = '07'.repeat(32)
const mac = new Bun.CryptoHasher('sha256', Buffer.from(KEY, 'hex')).update(ACCOUNT).digest('hex')
const TAG = mac.slice(0, 16)
folder.write('prepd.logkey', `${KEY}\n`)

const CALL = {
  level: 'info',
  event: 'request',
  request: 'r1',
  account: TAG,
  method: 'POST',
  path: '/v1/order',
}
const at = (time: string, line: object) => JSON.stringify({ time: `2026-01-01T${time}Z`, ...line })

const explain = (log: string, ...argv: readonly string[]) =>
  runCommand(
    folder,
    [
      'logs',
      'explain',
      folder.write('log', log),
      '--data-dir',
      folder.path(''),
      '--account',
      ACCOUNT,
      ...argv,
    ],
    {},
    REAL_WORLD,
  )

test('the calls of an account around a time are found, with the other lines of their requests', async () => {
  const log = [
    at('11:58:59.999', { ...CALL, request: 'too early' }),
    `Jan 01 host prepd[1]: ${at('11:59:30.000', { level: 'warn', event: 'upstream_failed', request: 'r1' })}`,
    at('11:59:30.100', { level: 'warn', event: 'upstream_failed', request: 'of another' }),
    at('11:59:31.000', { ...CALL, account: 'another', request: 'of another' }),
    `Jan 01 host prepd[1]: ${at('12:00:59.000', { ...CALL, status: 422, code: 'order_rejected', parameter: 'order_price', bound: 'a multiple of 0.01' })}`,
    'no json {',
    'x'.repeat(200_000),
    at('12:01:00.000', { ...CALL, request: 'r2', status: 200, code: 'ok' }),
  ].join('\n')
  const { lines, exitCode } = await explain(log, '--at', '2026-01-01T12:00:00Z')
  expect(exitCode).toBe(0)
  expect(lines[0]).toBe(`account ${TAG}`)
  expect(lines).toHaveLength(5)
  expect(lines[2]).toMatch(
    /POST +\/v1\/order +422 +order_rejected +- +order_price +- +a multiple of 0\.01 .*r1$/,
  )
  expect(lines[3]).toContain('"upstream_failed"')
  expect(lines[4]).toEndWith('r2')
  const narrow = await explain(log, '--at', '2026-01-01T12:00:00Z', '--within', '59')
  expect(narrow.lines).toHaveLength(4)
})

test('an account is found by its name in the log, as a notice gives it, without a key', async () => {
  const path = folder.write('log', at('12:00:00.000', { ...CALL, status: 409 }))
  const argv = ['logs', 'explain', path, '--data-dir', '/nowhere', '--at', '2026-01-01T12:00:00Z']
  const found = await runCommand(folder, [...argv, '--account', TAG], {}, REAL_WORLD)
  expect([found.exitCode, found.lines[0]]).toEqual([0, `account ${TAG}`])
  const other = await runCommand(folder, [...argv, '--account', '0'.repeat(16)], {}, REAL_WORLD)
  expect(other.exitCode).toBe(1)
  const short = runCommand(folder, [...argv, '--account', TAG.slice(1)], {}, REAL_WORLD)
  expect(`${await rejection(short)}`).toContain('--account must be 0x and 64 hex characters, or')
})

test.each([
  { argv: ['--at', '2026-01-01T13:00:00Z'], exitCode: 1, line: `no call of this account, ${TAG}` },
  { argv: [], exitCode: 64, line: '--account and --at must be given' },
  {
    argv: ['--at', '2026-01-01T12:00:00Z', '--data-dir', '/nowhere'],
    exitCode: 64,
    line: '/nowhere/prepd.logkey holds no key',
  },
])('what is not found is said: $line', async ({ argv: last, exitCode, line }) => {
  const argv: readonly string[] = last
  const given = argv.includes('--data-dir') ? [] : ['--data-dir', folder.path('')]
  const path = folder.write('log', at('12:00:00.000', CALL))
  const found = await runCommand(
    folder,
    ['logs', 'explain', path, ...given, '--account', ACCOUNT, ...argv],
    {},
    REAL_WORLD,
  )
  expect(found.exitCode).toBe(exitCode)
  expect(found.lines.join('\n')).toStartWith(line)
})

test('entries of journalctl -o json and lines with a priority are read, and replays are marked', async () => {
  const entry = (line: string) => JSON.stringify({ _PID: '1', PRIORITY: '6', MESSAGE: line })
  const log = [
    entry(at('12:00:00.000', { ...CALL, request: 'r1', status: 200 })),
    `<6>${at('12:00:01.000', { ...CALL, request: 'r2', status: 200, replayed: true })}`,
    JSON.stringify({ MESSAGE: null }),
  ].join('\n')
  const { lines, exitCode } = await explain(log, '--at', '2026-01-01T12:00:00Z')
  expect(exitCode).toBe(0)
  expect(lines.slice(2)).toEqual([
    expect.stringMatching(/ 200 +- .*r1$/),
    expect.stringMatching(/ 200 replay +- .*r2$/),
  ])
})

test("a log that was written with another instance's key is named, not called empty", async () => {
  const log = [
    at('08:00:00.000', { event: 'log_key', name: 'of another' }),
    at('12:00:00.000', { ...CALL, account: 'tag by another key' }),
  ].join('\n')
  const { lines, exitCode } = await explain(log, '--at', '2026-01-01T12:00:00Z')
  expect(exitCode).toBe(1)
  expect(lines[0]).toContain("prepd.logkey is not this log's key: name the data directory of the")
  const own = new Bun.CryptoHasher('sha256', Buffer.from(KEY, 'hex')).update('key of account tags')
  const name = own.digest('hex').slice(0, 16)
  const both = `${log}\n${at('11:00:00.000', { event: 'log_key', name })}`
  expect((await explain(both, '--at', '2026-01-01T12:00:00Z')).lines[0]).toContain(
    'no call of this',
  )
})
