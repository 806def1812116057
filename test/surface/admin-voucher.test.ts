// Slow: commands are executables that start, and endpoints are silent until a deadline.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VOUCHER_REFUSALS } from '../../src/contract/voucher.ts'
import { openVoucherStore } from '../../src/store/voucher/sqlite.ts'
import { jsonPost } from '../caller.ts'
import type { Mined } from '../evm/chain.ts'
import { configText } from '../evm/fixture.ts'
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
let opsUrl = ''
let fresh: {
  readonly asked: Awaited<ReturnType<typeof ask>>
  readonly paused: number | undefined
  readonly adopted: Awaited<ReturnType<typeof run>>
}
let issued: { readonly depositKey: string; readonly signature: string; readonly digest: string }

async function ask({ transactionHash }: Mined) {
  const body = { chainId: SOURCE_ID, txHash: transactionHash }
  const response = await fetch(`${url}/api/relayer/voucher`, jsonPost(body))
  return { status: response.status, body: JSON.parse(await response.text()) }
}

/** The metrics of vouchers, by name and labels. The used ratio of caps is read every 15 seconds, so it is of an earlier one. */
async function metrics(): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text()
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith('prepd_voucher_') && !line.includes('cap_used_ratio'))
  for (const line of lines) {
    const name = line.split(/[ {]/)[0] ?? ''
    expect(text.split('\n').filter((other) => other.startsWith(`# HELP ${name} `))).toHaveLength(1)
    expect(text).toMatch(new RegExp(`^# TYPE ${name} (gauge|counter)$`, 'm'))
  }
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', value] = line.split(' ')
      return [name, Number(value)]
    }),
  )
}

/** Runs a command as the operator does, beside the server; answers its lines in words. */
async function run(command: string) {
  const argv = ['--mode', 'admin', ...command.split(' ')]
  const prepd = spawnPrepd({ argv, settings })
  const { code, stdout, stderr } = await prepd.ended()
  // A command that fails says why on the standard error, and prints nothing.
  expect(code === 0 ? stderr : stdout).toBe('')
  const lines = (code === 0 ? stdout : stderr).trimEnd().split('\n')
  return { code, stdout, lines, words: lines.map((line) => line.split(/ +/)) }
}

beforeAll(async () => {
  stage = await openStage(Math.floor(Date.now() / 1000) - 60)
  writeFileSync(settings.VOUCHER, configText(stage, {}))
  const deposit = await stage.deposit()
  await stage.finalise()
  const OPS_LISTEN = '127.0.0.1:0'
  server = spawnPrepd({ settings: { ...settings, OPS_LISTEN, LOG: 'info' } })
  url = await server.url()
  opsUrl = await server.opsUrl()
  fresh = {
    asked: await ask(deposit),
    paused: (await metrics())['prepd_voucher_paused'],
    adopted: await run('voucher adopt'),
  }
  issued = (await ask(deposit)).body
})
afterAll(async () => {
  server.kill('SIGTERM')
  await server.ended()
  await stage.stop()
  folder[Symbol.dispose]()
})

describe('beside the running server', () => {
  test('a fresh store signs nothing before voucher adopt', async () => {
    const { status, error } = VOUCHER_REFUSALS.unavailable
    expect(fresh.asked).toEqual({ status, body: { error } })
    expect(fresh.paused).toBe(1)
    expect(fresh.adopted).toMatchObject({
      code: 0,
      lines: [
        'the store is now adopted: vouchers are signed from it',
        expect.stringContaining('A new store does not count lost vouchers.'),
      ],
    })
    expect(issued.signature).toMatch(/^0x[0-9a-f]{130}$/)
  })

  test('voucher list has a line a voucher', async () => {
    const { code, words } = await run('voucher list')
    expect(code).toBe(0)
    expect(words[0]).toEqual([
      'DEPOSIT',
      'ISSUED',
      'STATE',
      'REASON',
      'FROM',
      'TO',
      'AMOUNT',
      'TOKEN',
    ])
    expect(words).toHaveLength(2)
    const [deposit, , ...rest] = words[1] ?? []
    expect(deposit).toBe(issued.depositKey)
    expect(rest).toEqual(['valid', '-', '901', '902', '25000000', stage.contracts.paid])
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
      'adopted',
    ])
    const one = await run(`voucher audit --deposit ${issued.depositKey} --rows 5`)
    expect(one.words.map(([, event]) => event)).toEqual(['EVENT', 'issued'])
  })

  test('voucher release ends a hold, whose reason the list shows; the metrics count both', async () => {
    const store = openVoucherStore(join(settings.DATA_DIR, 'prepd.sqlite'))
    const before = await metrics()
    expect(before).toMatchObject({
      prepd_voucher_rows: (await store.list(9)).length,
      prepd_voucher_held: 0,
      prepd_voucher_paused: 0,
      prepd_voucher_disagreements_total: 0,
    })
    await store.hold(issued.depositKey, 'facts changed', Date.now())
    store.close()
    const { words } = await run('voucher list')
    const row = words.find(([deposit]) => deposit === issued.depositKey)
    expect(row?.slice(2, 4)).toEqual(['held', 'facts-changed'])
    expect(await metrics()).toEqual({ ...before, prepd_voucher_held: 1 })
    const { code, stdout } = await run(`voucher release --deposit ${issued.depositKey}`)
    expect(code).toBe(0)
    expect(stdout).toStartWith('released: its voucher goes on as it was')
    expect(await metrics()).toEqual(before)
    const labels = `{chain="902",token="${stage.contracts.paid}"}`
    expect(before[`prepd_voucher_cap_units${labels}`]).toBe(1e40)
    expect(before[`prepd_voucher_redeemable_units${labels}`]).toBe(
      25_000_000 * (before['prepd_voucher_rows'] ?? 0),
    )
  })

  test('endpoints that contradict each other are counted', async () => {
    const deposit = await stage.deposit()
    await stage.finalise()
    stage.endpoints[0].meddle(({ method, result }) =>
      method === 'eth_getTransactionReceipt' ? null : result,
    )
    let counted = 0
    // The head of a chain is looked at every few seconds.
    for (; counted === 0; await Bun.sleep(50)) {
      expect((await ask(deposit)).status).not.toBe(200)
      counted = (await metrics())['prepd_voucher_disagreements_total'] ?? 0
    }
    stage.endpoints[0].meddle(null)
  })

  test.each([
    ['voucher list --rows 0', '--rows must be a whole number from 1 to 500'],
    ['voucher show', '--deposit must be given: 0x and 64 hex characters'],
  ])('%s is refused in a line', async (command, line) => {
    expect(await run(command)).toMatchObject({ code: 64, lines: [line] })
  })
})
