import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VOUCHER_REFUSALS } from '../../src/spec/voucher.ts'
import { jsonPost } from '../caller.ts'
import type { Mined } from '../evm/chain.ts'
import { configText } from '../evm/desk.ts'
import { openStage, SOURCE_ID, type Stage } from '../evm/stage.ts'
import { spawnPrepd, temporaryFolder } from './spawned.ts'

const KEY = '07'.repeat(32)
const folder = temporaryFolder()
const path = (name: string) => join(folder.path, name)
const settings = {
  DATA_DIR: path('data'),
  VOUCHER: path('voucher.toml'),
  VOUCHER_KEY: KEY,
  LIMIT_VOUCHER: 'off',
}
let stage: Stage
let server: ReturnType<typeof spawnPrepd>
let url = ''
let sound = ''
let issued: { readonly depositKey: string; readonly signature: string; readonly digest: string }

async function ask({ transactionHash }: Mined) {
  const body = { chainId: SOURCE_ID, txHash: transactionHash }
  const response = await fetch(`${url}/api/relayer/voucher`, jsonPost(body))
  return { status: response.status, body: JSON.parse(await response.text()) }
}

/** Runs a command as the operator does, beside the server; answers its lines in words. */
async function run(command: string, more: Readonly<Record<string, string>> = {}) {
  const argv = ['--mode', 'admin', ...command.split(' ')]
  const prepd = spawnPrepd({ argv, settings: { ...settings, ...more } })
  const { code, stdout, stderr } = await prepd.ended()
  expect(stderr).toBe('')
  const lines = stdout.trimEnd().split('\n')
  return { code, stdout, lines, words: lines.map((line) => line.split(/ +/)) }
}

beforeAll(async () => {
  stage = await openStage(Math.floor(Date.now() / 1000) - 60)
  sound = configText(stage, {})
  writeFileSync(settings.VOUCHER, sound)
  const deposit = await stage.deposit()
  await stage.finalise()
  server = spawnPrepd({ settings })
  url = await server.url()
  issued = (await ask(deposit)).body
})
afterAll(async () => {
  server.kill('SIGTERM')
  await server.ended()
  await stage.stop()
  folder[Symbol.dispose]()
})

describe('beside the running server', () => {
  test('voucher list has a line a voucher', async () => {
    const { code, words } = await run('voucher list')
    expect(code).toBe(0)
    expect(words[0]).toEqual(['DEPOSIT', 'ISSUED', 'STATE', 'FROM', 'TO', 'AMOUNT', 'TOKEN'])
    expect(words).toHaveLength(2)
    const [deposit, , ...rest] = words[1] ?? []
    expect(deposit).toBe(issued.depositKey)
    expect(rest).toEqual(['valid', '901', '902', '25000000', stage.contracts.paid])
  })

  test('voucher show tells everything but what could be redeemed or sign', async () => {
    const { code, stdout, words } = await run(`voucher show --deposit ${issued.depositKey}`)
    expect(code).toBe(0)
    expect(words).toContainEqual(['digest', issued.digest])
    expect(words).toContainEqual(['signed', 'yes'])
    expect(stdout).not.toContain(issued.signature.slice(2))
    expect(stdout).not.toContain(KEY)
    const unknown = await run(`voucher show --deposit 0x${'9'.repeat(64)}`)
    expect(unknown).toMatchObject({ code: 1, lines: ['no voucher was issued for this deposit'] })
  })

  test('voucher pause stops old and new vouchers at once, and resume lets them through', async () => {
    const [old, fresh] = [await stage.deposit(), await stage.deposit()]
    await stage.finalise()
    let first = await ask(old)
    // The head of a chain is looked at every few seconds.
    for (; first.status === 202; first = await ask(old)) await Bun.sleep(50)
    expect(first.status).toBe(200)

    expect(await run('voucher pause')).toMatchObject({
      code: 0,
      lines: ['vouchers are now paused'],
    })
    const { status, error } = VOUCHER_REFUSALS.unavailable
    for (const deposit of [old, fresh])
      expect(await ask(deposit)).toEqual({ status, body: { error } })
    const again = await run('voucher pause')
    expect(again).toMatchObject({ code: 0, lines: ['vouchers are already paused'] })
    expect((await run('voucher list')).lines).toHaveLength(3)

    expect((await run('voucher resume')).lines).toEqual(['vouchers are now not paused'])
    expect(await ask(old)).toEqual(first)
    expect((await ask(fresh)).status).toBe(200)
    const { words } = await run('voucher audit')
    expect(words.map(([, event]) => event)).toEqual([
      'EVENT',
      'issued',
      'resumed',
      'paused',
      'issued',
      'issued',
    ])
    const one = await run(`voucher audit --deposit ${issued.depositKey} --rows 5`)
    expect(one.words.map(([, event]) => event)).toEqual(['EVENT', 'issued'])
  })

  test.each([
    ['voucher list --rows 0', '--rows must be a whole number from 1 to 500'],
    ['voucher show', '--deposit must be given: 0x and 64 hex characters'],
  ])('%s is refused in a line', async (command, line) => {
    expect(await run(command)).toMatchObject({ code: 64, lines: [line] })
  })
})

/** How a file is broken, and how the line begins that says so after the file’s name. */
// biome-ignore format: one fault a row
const BROKEN: readonly (readonly [what: string, from: string | RegExp, to: string, line: string])[] = [
  ['no TOML', 'quorum = 2', 'quorum 2', 'line 7 is not TOML'],
  ['a word too much', 'quorum = 2', 'quorum = 2\nquorom = 2', 'chains[0].quorom is not known here'],
  ['no quorum', 'quorum = 2', '', 'chains[0].quorum is missing: give the number of endpoints that must agree, 2 to 8'],
  ['too high a quorum', 'quorum = 2', 'quorum = 3', 'chains[0].quorum must not exceed the number of endpoints'],
  ['no vault', /vault = "0x..../, 'vault = "0x', 'chains[0].vault must be an address: 0x and 40 hex characters'],
  ['an unknown event', '"Deposit"', '"Withdraw"', 'chains[0].event must be Deposit or AccountDepositTo'],
  ['no finality', '"finalized"', '"latest"', 'chains[0].finality must be finalized, safe, or a depth of 1 to 100000 blocks'],
  ['a payout without a cap', /\[caps[^[]*/, 'caps = {}\n', 'chains[0].payouts.0x'],
]

describe('config check', () => {
  test('is content with a sound file and key', async () => {
    expect(await run('config check')).toMatchObject({ code: 0 })
  })

  test.each(BROKEN)('names %s', async (_, from, to, line) => {
    const VOUCHER = path('broken.toml')
    const text = sound.replace(from, to)
    expect(text).not.toBe(sound)
    writeFileSync(VOUCHER, text)
    const { code, lines, stdout } = await run('config check', { VOUCHER })
    expect(code).toBe(64)
    expect(lines[0]).toStartWith(`PREPD_VOUCHER: ${VOUCHER}: ${line}`)
    for (const endpoint of stage.endpoints) expect(stdout).not.toContain(endpoint.url)
  })

  test('names a file that is not there, and a key that is none, without showing it', async () => {
    const VOUCHER = path('nowhere.toml')
    const { code, lines } = await run('config check', { VOUCHER, VOUCHER_KEY: 'ff'.repeat(32) })
    expect({ code, lines }).toEqual({
      code: 64,
      lines: [
        `PREPD_VOUCHER names a file that cannot be read: ${VOUCHER}`,
        'PREPD_VOUCHER_KEY is no secp256k1 secret',
      ],
    })
  })
})

describe.each(['http', 'mcp'])('the start, --mode %s', (mode) => {
  const start = async (more: Readonly<Record<string, string>>) => {
    const DATA_DIR = path(`unopened-${mode}`)
    const prepd = spawnPrepd({
      argv: ['--mode', mode],
      settings: { ...settings, DATA_DIR, ...more },
    })
    const ended = await prepd.ended()
    expect(existsSync(DATA_DIR)).toBe(false)
    return ended
  }

  test.each(BROKEN)('is refused by %s, before anything is opened', async (_, from, to, line) => {
    const VOUCHER = path('broken.toml')
    writeFileSync(VOUCHER, sound.replace(from, to))
    const { code, stdout, stderr } = await start({ VOUCHER })
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr).toStartWith(`prepd: PREPD_VOUCHER: ${VOUCHER}: ${line}`)
    for (const endpoint of stage.endpoints) expect(stderr).not.toContain(endpoint.url)
  })

  test('is refused by a file that is not there, and by a key that is none', async () => {
    const VOUCHER = path('nowhere.toml')
    expect(await start({ VOUCHER })).toEqual({
      code: 64,
      stdout: '',
      stderr: `prepd: PREPD_VOUCHER names a file that cannot be read: ${VOUCHER}\n`,
    })
    expect(await start({ VOUCHER: 'off', VOUCHER_KEY: 'ff'.repeat(32) })).toEqual({
      code: 64,
      stdout: '',
      stderr: 'prepd: PREPD_VOUCHER_KEY is no secp256k1 secret\n',
    })
  })
})
