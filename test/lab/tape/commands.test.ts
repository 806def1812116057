import { afterAll, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import type { CommandWorld } from '../../../src/operator/command/command.ts'
import { listenVenue } from '../../../src/simulator/server/listener.ts'
import { lockFile } from '../../../src/store/connection/instance-lock.ts'
import type { TapeRecord } from '../../../src/tapes/records.ts'
import { NO_NETWORK, runCommand } from '../../operator/run-command.ts'
import { settingsFolder } from '../../settings-folder.ts'
import { openVirtual } from '../../simulator/embedded-fixture.ts'
import { written } from '../../tapes/fixture.ts'

const folder = settingsFolder()
afterAll(() => folder[Symbol.dispose]())
const BTC = 'PERP_BTC_USDC'
const AT_US = Date.UTC(2026, 0, 1) * 1000

const RECORDS: TapeRecord[] = [
  { kind: 'market', market: 0, symbol: BTC, priceDecimals: 1, quantityDecimals: 3, rules: '{}' },
  { kind: 'book', market: 0, atUs: AT_US, isWhole: true, bids: [1000, 5, 999, 7], asks: [1001, 6] },
  { kind: 'trade', market: 0, atUs: AT_US + 5, side: 'SELL', price: 1000, quantity: 2 },
  { kind: 'index', market: 0, atUs: AT_US + 6, price: { value: -5, decimals: 3 } },
  { kind: 'funding', market: 0, atUs: AT_US + 7, rate: { value: 1, decimals: 4 }, nextUs: AT_US },
  { kind: 'gap', market: 0, fromUs: AT_US + 7, atUs: AT_US + 3_000_007, cause: 'connection' },
]

function fileOf(name: string, bytes: Uint8Array): string {
  const path = folder.path(name)
  writeFileSync(path, bytes)
  return path
}

const command = (...argv: string[]) => runCommand(folder, argv)

test('tape show lists markets and gaps, and with --rows the records from a time on', async () => {
  const path = fileOf('show.tape', written(RECORDS))
  const { lines, exitCode } = await command('tape', 'show', path)
  expect(exitCode).toBe(0)
  expect(lines.join('\n')).toContain(
    '2026-01-01T00:00:00.000007Z  2026-01-01T00:00:03.000007Z  connection',
  )
  const rows = await command('tape', 'show', path, '--rows', '9')
  expect(rows.lines).toEqual([
    `2026-01-01T00:00:00.000Z     ${BTC}  whole book bids [100×0.005 99.9×0.007] asks [100.1×0.006]`,
    `2026-01-01T00:00:00.000005Z  ${BTC}  trade SELL 0.002 at 100`,
    `2026-01-01T00:00:00.000006Z  ${BTC}  index -0.005`,
    `2026-01-01T00:00:00.000007Z  ${BTC}  funding 0.0001 next 2026-01-01T00:00:00.000Z`,
    `2026-01-01T00:00:03.000007Z  ${BTC}  gap since 2026-01-01T00:00:00.000007Z (connection)`,
  ])
  const later = await command('tape', 'show', path, '--rows', '9', '--from', '2026-01-01T00:00:01Z')
  expect(later.lines).toHaveLength(1)
  const after = await command('tape', 'show', path, '--rows', '9', '--from', '2026-01-02T00:00:00Z')
  expect(after).toEqual({ lines: ['no records'], exitCode: 0 })
  expect(await command('tape', 'show', path, '--rows', '10001')).toMatchObject({ exitCode: 64 })
})

test('tape show names the markets of a tape that has not the one asked for', async () => {
  const path = fileOf('one.tape', written(RECORDS))
  const lines = [`this tape has no market PERP_NONE_USDC: it has ${BTC}`]
  for (const rows of [[], ['--rows', '9']]) {
    const answer = await command('tape', 'show', path, '--market', 'PERP_NONE_USDC', ...rows)
    expect(answer).toEqual({ lines, exitCode: 1 })
  }
  const one = await command('tape', 'show', path, '--market', BTC, '--json')
  expect(JSON.parse(one.lines[0] ?? '')).toMatchObject({ markets: [{ symbol: BTC }], gaps: [{}] })
})

test('a file that cannot be opened is named with the reason in words', async () => {
  const absent = folder.path('absent')
  for (const name of ['show', 'verify'])
    expect(await command('tape', name, absent)).toEqual({
      lines: [`${absent} is not there`],
      exitCode: 1,
    })
  const below = folder.path('nowhere/new.tape')
  expect(await command('tape', 'import', below, '--books', absent)).toEqual({
    lines: [`${below} is in a folder that is not there`],
    exitCode: 1,
  })
})

test('tape verify accepts a torn end, and fails for damage and for what is no tape', async () => {
  const bytes = written(RECORDS)
  const torn = await command('tape', 'verify', fileOf('torn.tape', bytes.slice(0, -3)), '--json')
  expect(JSON.parse(torn.lines[0] ?? '')).toMatchObject({ broken: [], gaps: 0 })
  expect(torn.exitCode).toBe(0)
  const flipped = Uint8Array.from(bytes)
  flipped[60] = 255 - (flipped[60] ?? 0)
  const damaged = await command('tape', 'verify', fileOf('damaged.tape', flipped))
  expect({ ...damaged, lines: damaged.lines.at(-1) }).toEqual({
    lines: expect.stringContaining('damaged at byte'),
    exitCode: 1,
  })
  const text = fileOf('text.txt', new Uint8Array(99))
  for (const name of ['verify', 'show'])
    expect(await command('tape', name, text)).toEqual({
      lines: [`${text}: this file is no tape`],
      exitCode: 1,
    })
})

test('tape record writes what a venue publishes until it is interrupted', async () => {
  const { venue } = openVirtual(1, () => 0, undefined, [BTC])
  const { answer, live, time } = venue
  const server = listenVenue({ host: '127.0.0.1', port: 0 }, { answer, live, clock: time.clock })
  const url = ['--url', `http://127.0.0.1:${server.port}`]
  const path = folder.path('new.tape')
  let interrupt = (): void => undefined
  const world: CommandWorld = {
    ...NO_NETWORK,
    clock: { nowMs: Date.now },
    transport: (request) => fetch(request),
    interrupted: () => new Promise((resolve) => (interrupt = resolve)),
  }
  const watched = {
    ...folder,
    print: (line: string) => line.startsWith('recording') && interrupt(),
  }
  const record = (...argv: string[]) => runCommand(watched, ['tape', 'record', ...argv], {}, world)
  expect((await record(path, ...url)).lines).toContain('books      1')
  expect((await record(path, ...url)).lines).toContain('gaps       1')
  expect(existsSync(`${path}.lock`)).toBe(false)
  const other = lockFile(`${path}.lock`)
  expect(await record(path, ...url)).toEqual({
    lines: [`another prepd adds to ${path}`],
    exitCode: 1,
  })
  other?.()
  const unmade = folder.path('unmade.tape')
  const unknown = await record(unmade, ...url, '--markets', 'PERP_NONE_USDC')
  expect(existsSync(unmade)).toBe(false)
  expect(unknown).toEqual({ lines: ['the venue has no market PERP_NONE_USDC'], exitCode: 1 })
  expect((await record(fileOf('other', new Uint8Array(40)), ...url)).exitCode).toBe(1)
  await server.stop()
  const away = await record(path, ...url)
  expect({ ...away, lines: away.lines.join() }).toEqual({
    lines: expect.stringContaining('in --url'),
    exitCode: 1,
  })
  expect((await record(path)).exitCode).toBe(64)
})
