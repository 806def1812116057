import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configText } from '../evm/fixture.ts'
import { spawnPrepd, temporaryFolder } from './spawned.ts'

const address = (digit: string): `0x${string}` => `0x${digit.repeat(40)}`
const URLS = ['http://127.0.0.1:1/SECRET', 'http://127.0.0.1:2/SECRET']
const folder = temporaryFolder()
const path = (name: string) => join(folder.path, name)
const settings = {
  DATA_DIR: path('unopened'),
  VOUCHER: path('voucher.toml'),
  VOUCHER_KEY: '07'.repeat(32),
}
const contracts = {
  token: address('1'),
  feeToken: address('2'),
  vault: address('3'),
  paid: address('4'),
  redeemer: address('5'),
}
const sound = configText({ contracts, endpoints: URLS.map((url) => ({ url })) }, {})
writeFileSync(settings.VOUCHER, sound)
afterAll(() => folder[Symbol.dispose]())

/** How a file is broken, and how the line begins that says so after the file’s name. */
// biome-ignore format: one fault a row
const BROKEN: readonly (readonly [what: string, from: string | RegExp, to: string, line: string])[] = [
  ['no TOML', 'quorum = 2', 'quorum 2', 'line 8 is not TOML'],
  ['a word too much', 'quorum = 2', 'quorum = 2\nquorom = 2', 'chains[0].quorom is not known here'],
  ['no quorum', 'quorum = 2', '', 'chains[0].quorum is missing: give the number of endpoints that must agree, 2 to 8'],
  ['too high a quorum', 'quorum = 2', 'quorum = 3', 'chains[0].quorum must not exceed the number of endpoints'],
  ['no vault', /vault = "0x..../, 'vault = "0x', 'chains[0].vault must be an address: 0x and 40 hex characters'],
  ['an unknown event', '"Deposit"', '"Withdraw"', 'chains[0].event must be Deposit or AccountDepositTo'],
  ['no finality', '"finalized"', '"latest"', 'chains[0].finality must be finalized, safe, or a depth of 1 to 100000 blocks'],
  ['a payout without a cap', /\[caps[^[]*/, 'caps = {}\n', 'chains[0].payouts.0x'],
]

describe('config check', () => {
  async function check(more: Readonly<Record<string, string>> = {}) {
    const argv = ['--mode', 'admin', 'config', 'check']
    const { code, stdout, stderr } = await spawnPrepd({
      argv,
      settings: { ...settings, ...more },
    }).ended()
    expect(stderr).toBe('')
    return { code, stdout, lines: stdout.trimEnd().split('\n') }
  }

  test('is content with a sound file and key', async () => {
    expect(await check()).toMatchObject({ code: 0 })
  })

  test.each(BROKEN)('names %s', async (_, from, to, line) => {
    const VOUCHER = path('broken.toml')
    const text = sound.replace(from, to)
    expect(text).not.toBe(sound)
    writeFileSync(VOUCHER, text)
    const { code, lines, stdout } = await check({ VOUCHER })
    expect(code).toBe(64)
    expect(lines[0]).toStartWith(`PREPD_VOUCHER: ${VOUCHER}: ${line}`)
    expect(stdout).not.toContain('SECRET')
  })

  test('names a file that is not there, and a key that is none, without showing it', async () => {
    const VOUCHER = path('nowhere.toml')
    const { code, lines } = await check({ VOUCHER, VOUCHER_KEY: 'ff'.repeat(32) })
    expect({ code, lines }).toEqual({
      code: 64,
      lines: [
        `PREPD_VOUCHER names a file that cannot be read, or is larger than 1 MiB: ${VOUCHER}`,
        'PREPD_VOUCHER_KEY is no secp256k1 secret',
      ],
    })
  })
})

describe.each(['http', 'mcp'])('the start, --mode %s', (mode) => {
  const start = async (more: Readonly<Record<string, string>>) => {
    const prepd = spawnPrepd({ argv: ['--mode', mode], settings: { ...settings, ...more } })
    const ended = await prepd.ended()
    expect(existsSync(settings.DATA_DIR)).toBe(false)
    return ended
  }

  test.each(BROKEN)('is refused by %s, before anything is opened', async (_, from, to, line) => {
    const VOUCHER = path('broken.toml')
    writeFileSync(VOUCHER, sound.replace(from, to))
    const { code, stdout, stderr } = await start({ VOUCHER })
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toStartWith(`prepd: PREPD_VOUCHER: ${VOUCHER}: ${line}`)
    expect(stderr).not.toContain('SECRET')
  })

  test('is refused by a file that is not there, and by a key that is none', async () => {
    const VOUCHER = path('nowhere.toml')
    expect(await start({ VOUCHER })).toEqual({
      code: 64,
      stdout: '',
      stderr: `prepd: PREPD_VOUCHER names a file that cannot be read, or is larger than 1 MiB: ${VOUCHER}\n`,
    })
    expect(await start({ VOUCHER: 'off', VOUCHER_KEY: 'ff'.repeat(32) })).toEqual({
      code: 64,
      stdout: '',
      stderr: 'prepd: PREPD_VOUCHER_KEY is no secp256k1 secret\n',
    })
  })
})
