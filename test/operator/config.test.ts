import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { SETTING_ROWS } from '../../src/contract/settings.ts'
import { settingsFolder } from '../settings-folder.ts'
import { runCommand } from './run-command.ts'

const folder = settingsFolder()
afterAll(() => folder[Symbol.dispose]())

describe('config check', () => {
  test('says ok and what would start, and creates nothing', async () => {
    const dataDir = folder.path('not-yet')
    const { lines, exitCode } = await runCommand(folder, ['config', 'check', '--data-dir', dataDir])
    expect(lines).toEqual(['ok', `http on 127.0.0.1:8080, the embedded venue, data in ${dataDir}`])
    expect(exitCode).toBe(0)
    expect(existsSync(dataDir)).toBe(false)
  })

  test('names the live venue by its origin', async () => {
    const argv = [
      'config',
      'check',
      '--venue',
      'https://venue.example',
      '--listen',
      '[::1]:0',
      '--data-dir',
      '/',
    ]
    expect((await runCommand(folder, argv)).lines).toEqual([
      'ok',
      'http on [::1]:0, the live venue https://venue.example, data in /',
      'warning: PREPD_VENUE_STREAM is not set: live data answer 503. Set it to the wss base URL of the venue’s live data, or to off.',
    ])
    for (const stream of ['off', 'wss://stream.venue.example'])
      expect((await runCommand(folder, [...argv, '--venue-stream', stream])).lines).toHaveLength(2)
  })

  test('says which files it read, and of none nothing', async () => {
    const key = folder.write('prepd.operator_key', 'a-key-of-an-operator-in-a-credential')
    const toml = folder.write('prepd.toml', 'service_name = "unit"\n')
    const argv = ['config', 'check', '--data-dir', '/', '--config', toml]
    const env = { CREDENTIALS_DIRECTORY: folder.path('') }
    const { lines, exitCode } = await runCommand(folder, argv, env)
    expect(exitCode).toBe(0)
    expect(lines.slice(2)).toEqual([
      expect.stringMatching(/^read: .*the credential prepd\.operator_key/),
    ])
    expect(lines[2]).toContain(toml)
    expect(lines.join()).not.toContain('a-key-of')
    for (const path of [key, toml]) rmSync(path)
  })

  test.each([
    { at: '127.0.0.1:9090', warned: [] },
    { at: 'localhost:9090', warned: [] },
    { at: 'off', warned: [] },
    { at: '0.0.0.0:9090', warned: ['every address'] },
    { at: '[::]:9090', warned: ['every address'] },
    { at: '10.1.2.3:9090', warned: ['10.1.2.3'] },
  ])('warns of an operator’s listener beyond loopback: $at', async ({ at, warned }) => {
    const argv = ['config', 'check', '--data-dir', '/', '--ops-listen', at]
    const { lines, exitCode } = await runCommand(folder, argv)
    expect(exitCode).toBe(0)
    expect(lines.slice(2)).toEqual(
      warned.map(
        (where) =>
          `warning: PREPD_OPS_LISTEN is on ${where}, and needs no key to be read. Listen on 127.0.0.1, or let only the operator reach it.`,
      ),
    )
  })

  test('finds every file that cannot serve', async () => {
    const file = folder.write('a-file', 'x')
    const voucher = folder.write('voucher.toml', 'chains = [')
    const broken = await runCommand(folder, [
      'config',
      'check',
      '--data-dir',
      file,
      '--voucher',
      voucher,
    ])
    expect(broken).toEqual({
      lines: [
        `PREPD_DATA_DIR is not a directory: ${file}`,
        `PREPD_VOUCHER: ${voucher}: line 1 is not TOML`,
      ],
      exitCode: 64,
    })
    const absent = await runCommand(folder, ['config', 'check', '--voucher', '/nowhere'])
    expect(absent).toEqual({
      lines: ['PREPD_VOUCHER names a file that cannot be read, or is larger than 1 MiB: /nowhere'],
      exitCode: 64,
    })
  })
})

describe('config check of PREPD_VENUE_PRICES', () => {
  const START = '2026-01-01T00:00:00Z'
  const check = (text: string | null, ...argv: string[]) => {
    const path = text === null ? '/nowhere' : folder.write('prices.csv', text)
    const words = ['config', 'check', '--data-dir', '/', '--venue-prices', path]
    return runCommand(folder, [...words, '--venue-clock', 'virtual', ...argv])
  }

  test('says nothing of candles that a new world begins with', async () => {
    const { lines, exitCode } = await check(`PERP_BTC_USDC,${START},5,6,4,5,1`)
    expect([lines[0], lines.slice(2), exitCode]).toEqual(['ok', [], 0])
  })

  test('warns of candles of another time, at which the index stands still', async () => {
    const text = 'PERP_BTC_USDC,2025-12-31T00:00:00Z,5,6,4,5,1'
    const { lines, exitCode } = await check(text)
    expect(lines.at(-1)).toStartWith(
      'warning: PREPD_VENUE_PRICES: no candle is of 2026-01-01T00:00:00.000Z, where a new world begins',
    )
    expect(exitCode).toBe(0)
    const begun = await check(text, '--venue-start', '2025-12-31T00:00:30Z')
    expect(begun.lines.slice(2)).toEqual([])
  })

  test.each([
    ['is absent', null, '/nowhere cannot be followed: ENOENT'],
    ['holds no candle', 'no candle', 'cannot be followed: line 1 is no candle'],
    [
      'is of other markets',
      `BTCUSDT,${START},5,6,4,5,1`,
      'lacks all of the markets: PERP_BTC_USDC',
    ],
    ['has times of no unit', 'PERP_BTC_USDC,17,5,6,4,5,1', 'its time must be seconds, milli-'],
  ])('names the file that %s, as the start does', async (_, text, problem) => {
    const { lines, exitCode } = await check(text)
    expect(lines).toEqual([expect.stringContaining(problem)])
    expect(lines[0]).toStartWith('PREPD_VENUE_PRICES: ')
    expect(exitCode).toBe(64)
  })
})

/** A line's columns: at least two blanks stand between them. */
const cellsOf = (line: string) => line.split(/ {2,}/)

describe('config show', () => {
  test('shows each setting once, with the value in force', async () => {
    const { lines, exitCode } = await runCommand(folder, ['config', 'show'], {
      PREPD_VENUE_SEED: '7',
    })
    expect(lines.map((line) => line.split(' ')[0])).toEqual(SETTING_ROWS.map(({ name }) => name))
    expect(lines.map(cellsOf)).toContainEqual(['VENUE_SEED', '7'])
    expect(lines.map(cellsOf)).toContainEqual(['VENUE_VAULTS', 'embedded'])
    expect(exitCode).toBe(0)
  })

  test('says where each value came from, and masks secrets', async () => {
    const config = folder.write('show.toml', 'points = "on"')
    const key = folder.write('show-key', 'canary\n')
    const { lines } = await runCommand(
      folder,
      ['config', 'show', '--origin', '--config', config, '--log', 'warn', '--swap-key-file', key],
      { PREPD_OPERATOR_KEY: 'canary'.repeat(6) },
    )
    for (const cells of [
      ['OPERATOR_KEY', 'environment', 'set'],
      ['SWAP_KEY', 'flag', 'set'],
      ['VOUCHER_KEY', 'default', 'not set'],
      ['AFFILIATE_ACCOUNT_ID', 'default', 'not set'],
      ['POINTS', 'file', 'on'],
      ['LOG', 'flag', 'warn'],
      ['LISTEN', 'default', '127.0.0.1:8080'],
    ]) {
      expect(lines.map(cellsOf)).toContainEqual(cells)
    }
    expect(lines.join('\n')).not.toContain('canary')
  })
})

test('no command leaves anything on disk', () => {
  expect(readdirSync(folder.path('.')).sort()).toEqual([
    'a-file',
    'prices.csv',
    'show-key',
    'show.toml',
    'voucher.toml',
  ])
})
