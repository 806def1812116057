import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '../../../src/core/settings/usage-error.ts'
import { voucherProblems } from '../../../src/gateway/voucher/problems.ts'
import {
  readValiditySeconds,
  VOUCHER_COMMANDS,
  type VoucherCommand,
} from '../../../src/operator/voucher/voucher.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import type { VoucherRow, VoucherStore } from '../../../src/store/voucher/port.ts'
import { openVoucherStore } from '../../../src/store/voucher/sqlite.ts'

const key = (digit: string) => `0x${digit.repeat(64)}`
const NOW_MS = 1_800_000_000_000
const DAY_SECONDS = 86_400
const clock = { nowMs: () => NOW_MS }
let store: VoucherStore

beforeEach(() => {
  store = openVoucherStore(':memory:')
})
afterEach(() => store.close())

const row = (digit: string, part: Partial<VoucherRow> = {}): VoucherRow => ({
  depositKey: key(digit),
  sourceChainId: 901,
  sourceVault: '0xvault',
  depositId: 1n,
  txHash: key(digit),
  logIndex: 0,
  txDeposits: 1,
  blockNumber: 1n,
  blockHash: key('b'),
  depositor: '0xdepositor',
  sourceToken: '0xsource',
  sourceAmount: 25n,
  recipient: '0xrecipient',
  destinationChainId: 902,
  redeemer: '0xredeemer',
  token: '0xpaid',
  amount: 25n,
  generation: 1,
  validUntil: NOW_MS / 1000 + 60,
  digest: key('d'),
  signature: '0xSIGNATURE',
  signer: '0xsigner',
  createdAtMs: NOW_MS - 1000,
  updatedAtMs: NOW_MS,
  redeemableUntil: 1_800_000_000,
  payableUntil: 1_900_000_000,
  hold: null,
  released: false,
  ...part,
})

async function run(
  command: VoucherCommand,
  args: Record<string, string> = {},
  at = store,
  validitySeconds = DAY_SECONDS,
) {
  const lines: string[] = []
  let value: object | null = null
  const report = (reported: object, words: readonly string[]) => {
    value = reported
    lines.push(...words)
  }
  const given = new Map(Object.entries(args))
  const deps = { report, store: at, clock, validitySeconds: () => validitySeconds }
  const code = await command(deps, given).catch((error: Error) => {
    lines.push(error.message)
    return error instanceof UsageError ? 64 : 1
  })
  return { code, lines, ...(value !== null && { value: Object(value) }) }
}

describe('voucher list', () => {
  test('has one line a voucher, with its state', async () => {
    await store.put(row('1'))
    await store.put(row('2', { signature: null, createdAtMs: 4 }))
    await store.put(row('3', { validUntil: NOW_MS / 1000, createdAtMs: 3 }))
    await store.put(row('5', { released: true, createdAtMs: 1 }))
    await store.put(row('4', { hold: 'facts changed', createdAtMs: 2 }))
    const { code, lines } = await run(VOUCHER_COMMANDS.list)
    expect(code).toBe(0)
    const words = lines.map((line) => line.split(/ +/))
    expect(words.map(([deposit, , state, reason]) => [deposit, state, reason])).toEqual([
      ['DEPOSIT', 'STATE', 'REASON'],
      [key('1'), 'valid', '-'],
      [key('2'), 'unsigned', '-'],
      [key('3'), 'expired', '-'],
      [key('4'), 'held', 'facts-changed'],
      [key('5'), 'released', '-'],
    ])
    expect((await run(VOUCHER_COMMANDS.list, { '--rows': '2' })).lines).toHaveLength(3)
  })

  test.each(['0', '501', '-1', 'x', '1.5', ''])('of %p rows is refused', async (rows) => {
    expect(await run(VOUCHER_COMMANDS.list, { '--rows': rows })).toEqual({
      code: 64,
      lines: ['--rows must be a whole number from 1 to 500'],
    })
  })
})

describe('voucher show', () => {
  test('tells all but the signature', async () => {
    await store.put(row('1'))
    await store.record({ atMs: NOW_MS, event: 'issued', row: row('1') })
    await store.record({ atMs: NOW_MS, event: 'issued', row: row('2') })
    const { code, lines } = await run(VOUCHER_COMMANDS.show, { '--deposit': key('1') })
    const text = lines.join('\n')
    expect(code).toBe(0)
    expect(text).toMatch(/^state +valid$/m)
    expect(text).toMatch(/^signed +yes$/m)
    expect(text).toMatch(/^valid until +2027-01-15T08:01:00Z \(in 1 min\)$/m)
    expect(text.match(/issued/g)).toHaveLength(1)
    expect(text).not.toContain('SIGNATURE')
  })

  test('and list tell programs the same, with amounts as texts', async () => {
    await store.put(row('1'))
    await store.record({ atMs: NOW_MS, event: 'issued', row: row('1') })
    const { value } = await run(VOUCHER_COMMANDS.show, { '--deposit': key('1') })
    const facts = {
      state: 'valid',
      depositKey: key('1'),
      signed: true,
      amount: String(row('1').amount),
    }
    expect(value).toMatchObject({ ...facts, audit: [{ event: 'issued', depositKey: key('1') }] })
    expect((await run(VOUCHER_COMMANDS.list)).value.rows).toMatchObject([facts])
    expect((await run(VOUCHER_COMMANDS.audit)).value.rows).toMatchObject([{ event: 'issued' }])
    expect(JSON.stringify(value)).not.toContain('SIGNATURE')
    const paused = async () => (await run(VOUCHER_COMMANDS.pause)).value
    expect(await paused()).toEqual({ paused: true, changed: true })
    expect(await paused()).toEqual({ paused: true, changed: false })
  })

  test('of an unknown deposit, or of none, fails', async () => {
    expect((await run(VOUCHER_COMMANDS.show, { '--deposit': key('9') })).code).toBe(1)
    const refused = await run(VOUCHER_COMMANDS.show)
    expect(refused.code).toBe(64)
    expect(refused.lines).toEqual(['--deposit must be given: 0x and 64 hex characters'])
  })
})

test('voucher pause and resume turn the switch once, and the audit keeps who did what when', async () => {
  expect((await run(VOUCHER_COMMANDS.pause)).lines).toEqual(['vouchers are now paused'])
  expect((await run(VOUCHER_COMMANDS.pause)).lines).toEqual(['vouchers are already paused'])
  expect(await store.isPaused()).toBe(true)
  expect((await run(VOUCHER_COMMANDS.resume)).lines).toEqual(['vouchers are now not paused'])
  expect((await run(VOUCHER_COMMANDS.resume)).lines).toEqual(['vouchers are already not paused'])
  expect(await store.isPaused()).toBe(false)
  const { code, lines } = await run(VOUCHER_COMMANDS.audit)
  expect(code).toBe(0)
  expect(lines.map((line) => line.split(/ +/)[1])).toEqual(['EVENT', 'resumed', 'paused'])
})

test('voucher audit may be of one deposit, which must be one', async () => {
  await store.record({ atMs: 1, event: 'issued', row: row('1') })
  await store.record({ atMs: 2, event: 'issued', row: row('2') })
  expect((await run(VOUCHER_COMMANDS.audit, { '--deposit': key('2') })).lines).toHaveLength(2)
  expect((await run(VOUCHER_COMMANDS.audit, { '--deposit': '0x2' })).code).toBe(64)
})

describe('voucher release', () => {
  const at = (seconds: number) => NOW_MS / 1000 + seconds

  test('ends a hold, and says how far the voucher of it can still go', async () => {
    await store.put(row('1', { hold: 'facts changed', redeemableUntil: at(60) }))
    await store.put(row('2', { hold: 'facts changed', redeemableUntil: at(-301) }))
    await store.put(row('3', { redeemableUntil: at(-300) }))
    const releases = ['1', '2', '3'].map((digit) =>
      run(VOUCHER_COMMANDS.release, { '--deposit': key(digit) }),
    )
    const [one, two, three] = await Promise.all(releases)
    expect(one).toMatchObject({
      code: 0,
      lines: [
        'released: its voucher goes on as it was, and can be redeemed until 2027-01-15T08:01:00Z (in 1 min)',
      ],
    })
    expect(two).toMatchObject({
      code: 0,
      lines: [
        'released: the next voucher is as if the first. Pause, if 0xredeemer has paid this deposit',
      ],
    })
    expect(three?.lines.join()).toStartWith('released: its voucher goes on')
    const rows = ['1', '2', '3'].map((digit) => store.byKey(key(digit)))
    expect(await Promise.all(rows)).toMatchObject([
      { hold: null, released: false },
      { hold: null, released: true },
      { hold: null, released: false },
    ])
    expect((await store.audit(9)).map(({ event }) => event)).toEqual(Array(3).fill('released'))
  })

  test('of an unknown deposit, or of none, changes nothing', async () => {
    expect(await run(VOUCHER_COMMANDS.release, { '--deposit': key('9') })).toEqual({
      code: 1,
      lines: ['no voucher was issued for this deposit'],
    })
    expect((await run(VOUCHER_COMMANDS.release)).code).toBe(64)
    expect(await store.audit(9)).toEqual([])
  })
})

test('voucher adopt is needed once, and not where a voucher was issued', async () => {
  const line = (state: string) => `the store is ${state} adopted: vouchers are signed from it`
  const warning = expect.stringContaining('A new store does not count lost vouchers.')
  const adopt = (args = {}) => run(VOUCHER_COMMANDS.adopt, args)
  expect(await adopt()).toMatchObject({ code: 0, lines: [line('now'), warning] })
  expect(await adopt()).toMatchObject({ code: 0, lines: [line('already')] })
  expect((await store.audit(9)).map(({ event }) => event)).toEqual(['adopted'])
  const used = openVoucherStore(':memory:')
  await used.record({ atMs: 1, event: 'issued', row: row('1') })
  expect(await used.isAdopted()).toBe(true)
  used.close()
  const confirmed = openVoucherStore(':memory:')
  const complete = await run(VOUCHER_COMMANDS.adopt, { '--complete': '' }, confirmed)
  expect(complete.lines).toEqual([line('now')])
  confirmed.close()
})

test('voucher adopt of a store that has lost vouchers says when it signs, and --complete that none is missing', async () => {
  await store.record({ atMs: NOW_MS, event: 'adopted' })
  await store.record({ atMs: NOW_MS, event: 'issued', row: row('1') })
  expect((await run(VOUCHER_COMMANDS.adopt, { '--complete': '' })).value).toMatchObject({
    changed: false,
    waits: false,
  })
  const folder = mkdtempSync(join(tmpdir(), 'prepd-adopt-'))
  const path = join(folder, 'prepd.sqlite')
  openSqlite(path, 1).close()
  new Database(path).run("INSERT INTO voucher_audit (at_ms, event) VALUES (?, 'lost')", [NOW_MS])
  const lost = openVoucherStore(path)
  const adopt = (args: Record<string, string> = {}) => run(VOUCHER_COMMANDS.adopt, args, lost)
  expect((await adopt()).lines).toEqual([
    'The store is adopted. prepd returns the vouchers that it knows. It signs new vouchers `validitySeconds` plus 24 hours after the loss. If no voucher was lost, run this command with --complete.',
  ])
  expect((await adopt()).value).toEqual({ adopted: true, changed: false, waits: true })
  expect((await adopt({ '--complete': '' })).value).toEqual({
    ...{ adopted: true, changed: true, waits: false },
  })
  expect((await lost.audit(9)).map(({ event }) => event)).toEqual(['complete', 'adopted', 'lost'])
  lost.close()
  rmSync(folder, { recursive: true })
})

test('voucher adopt waits for lost vouchers as long as the configured validity asks for', async () => {
  const lostAtMs = NOW_MS - 3 * DAY_SECONDS * 1000
  const folder = mkdtempSync(join(tmpdir(), 'prepd-adopt-'))
  const path = join(folder, 'prepd.sqlite')
  openSqlite(path, 1).close()
  new Database(path).run("INSERT INTO voucher_audit (at_ms, event) VALUES (?, 'lost')", [lostAtMs])
  const lost = openVoucherStore(path)
  const waits = async (validitySeconds: number) =>
    (await run(VOUCHER_COMMANDS.adopt, {}, lost, validitySeconds)).value.waits
  expect(await waits(DAY_SECONDS)).toBe(false)
  expect(await waits(2 * DAY_SECONDS)).toBe(true)
  lost.close()
  rmSync(folder, { recursive: true })
})

test('the validity is that of the voucher file, and the maximum without one', () => {
  const example = readFileSync(
    join(import.meta.dir, '../../../config/voucher.example.toml'),
    'utf8',
  )
  const read = (path: string | null, text: string | null) =>
    readValiditySeconds({
      settings: { voucher: { path } },
      files: {
        stat: () => (text === null ? null : { directory: false, mode: 0o600 }),
        read: () => text ?? '',
        list: () => [],
      },
    })
  expect(read('voucher.toml', `validitySeconds = 600\n${example}`)).toBe(600)
  expect([read('voucher.toml', null), read(null, null)]).toEqual([604_800, 604_800])
  expect(() => read('voucher.toml', 'caps = {}')).toThrow(UsageError)
})

describe('the check of the settings', () => {
  const problems = (text: string | null) =>
    voucherProblems(
      { voucher: { path: 'voucher.toml', keys: [] } },
      {
        stat: () => (text === null ? null : { directory: false, mode: 0o600 }),
        read: () => text ?? '',
        list: () => [],
      },
    )

  test.each([
    [
      'a file that is not there',
      null,
      'PREPD_VOUCHER names a file that cannot be read, or is larger than 1 MiB: voucher.toml',
    ],
    ['a file that is no TOML', '[', 'PREPD_VOUCHER: voucher.toml: line 1 is not TOML'],
    [
      'an unfinished file',
      'caps = {}',
      'PREPD_VOUCHER: voucher.toml: chains is missing: give one to thirty-two tables [[chains]]',
    ],
  ])('names %s', (_, text, line) => {
    expect(problems(text)).toEqual([line])
  })

  test('finds a key that is none, without showing it', async () => {
    const off = { stat: () => null, read: () => '', list: () => [] }
    const check = (...keys: readonly Uint8Array[]) =>
      voucherProblems({ voucher: { path: null, keys } }, off)
    const key = new Uint8Array(32).fill(1)
    const none = new Uint8Array(32).fill(255)
    for (const keys of [[none], [key, none]])
      expect(check(...keys)).toEqual(['PREPD_VOUCHER_KEY is no secp256k1 secret'])
    expect([check(key), check()]).toEqual([[], []])
  })
})
