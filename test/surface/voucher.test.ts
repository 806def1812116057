// Slow: a deposit waits for blocks of a node.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { recoverTypedDataAddress } from 'viem'
import { FAILURES } from '../../src/contract/failures.ts'
import { VOUCHER_REFUSALS } from '../../src/contract/voucher.ts'
import { openVoucherDatabase } from '../../src/store/connection/connection.ts'
import { openVoucherStore } from '../../src/store/voucher/sqlite.ts'
import { jsonPost } from '../caller.ts'
import type { Mined } from '../evm/chain.ts'
import { DEAD } from '../evm/endpoint.ts'
import { adopt, configText, redeem } from '../evm/fixture.ts'
import { openStage, SIGNER, SOURCE_ID, type Stage } from '../evm/stage.ts'
import { settingsFolder } from '../settings-folder.ts'
import { openTarget, TARGET_KINDS, type Target } from '../target.ts'

const PATH = '/api/relayer/voucher'
const KEY = '07'.repeat(32)
const UNKNOWN = `0x${'1'.repeat(64)}`

type Refusal = keyof typeof VOUCHER_REFUSALS

const asked = { chainId: SOURCE_ID, txHash: UNKNOWN } as const

/** Bodies that are not the two or three members that there are. */
const MALFORMED: readonly (readonly [what: string, body: unknown])[] = [
  ['nothing', ''],
  ['no JSON', '{"chainId":901'],
  ['null', null],
  ['a list', [asked]],
  ['no chain', { txHash: UNKNOWN }],
  ['no hash', { chainId: SOURCE_ID }],
  ['a chain in quotes', { ...asked, chainId: '901' }],
  ['chain zero', { ...asked, chainId: 0 }],
  ['half a chain', { ...asked, chainId: 901.5 }],
  ['a chain beyond exact numbers', `{"chainId":9007199254740993,"txHash":"${UNKNOWN}"}`],
  ['a hash without 0x', { ...asked, txHash: UNKNOWN.slice(2) }],
  ['a long hash', { ...asked, txHash: `${UNKNOWN}0` }],
  ['a log before the first', { ...asked, logIndex: -1 }],
  ['a log of no number', { ...asked, logIndex: null }],
  ['a recipient', { ...asked, recipient: SIGNER.address }],
  ['an amount', { ...asked, amount: '1' }],
]

/** Deposits that get no voucher, as the stage has them. */
const REFUSED: readonly (readonly [name: keyof Deposits, refusal: Refusal])[] = [
  ['several', 'several_deposits'],
  ['reverted', 'reverted'],
  ['spoofed', 'no_deposit'],
  ['otherChain', 'not_redeemable'],
]

type Deposits = Readonly<Record<'good' | 'several' | 'reverted' | 'spoofed' | 'otherChain', Mined>>

const folder = settingsFolder()
let stage: Stage
let deposits: Deposits

beforeAll(async () => {
  stage = await openStage(Math.floor(Date.now() / 1000) - 60)
  folder.write('voucher.toml', configText(stage, {}))
  const { strangeVault } = stage.contracts
  deposits = {
    good: await stage.deposit(),
    several: await stage.deposit({ method: 'depositTwice' }),
    reverted: await stage.deposit({ amount: 0n }),
    spoofed: await stage.deposit({ vault: strangeVault }),
    otherChain: await stage.deposit({ destinationChainId: 903n }),
  }
  await stage.finalise()
})
afterEach(() => {
  for (const endpoint of stage.endpoints) {
    endpoint.meddle(null)
    endpoint.taken()
  }
})
afterAll(async () => {
  await stage.stop()
  folder[Symbol.dispose]()
})

async function ask(target: Target, body: unknown, init: RequestInit = {}) {
  const response = await target.fetch(PATH, { ...jsonPost(body), ...init })
  const { status, headers } = response
  const text = await response.text()
  expect(headers.get('content-type')).toBe('application/json')
  expect(headers.get('cache-control')).toBe('no-store')
  return { status, headers, text, body: JSON.parse(text) }
}

const of = ({ transactionHash }: Mined) => ({ chainId: SOURCE_ID, txHash: transactionHash })

/** The refusal as it must look: the sentence and nothing else. */
function refused(refusal: Refusal) {
  const { status, error } = VOUCHER_REFUSALS[refusal]
  return { status, body: { error } }
}

describe.each([...TARGET_KINDS])('vouchers, %s', (kind) => {
  let target: Target
  const dataDir = folder.path(kind.replace(' ', '-'))
  const open = (settings: Record<string, string> = {}) =>
    openTarget(kind, {
      VOUCHER: folder.path('voucher.toml'),
      VOUCHER_KEY: KEY,
      DATA_DIR: dataDir,
      LIMIT_VOUCHER: 'off',
      ...settings,
    })
  /** Waits until a failed reading of a chain's head, which is remembered for a while, counts no more. */
  const readable = async () => {
    while ((await ask(target, of(deposits.several))).status === 503) await Bun.sleep(50)
  }
  const called = () => stage.endpoints.flatMap((endpoint) => endpoint.taken())
  /** What is on the disk, read beside the server. */
  const stored = async () => {
    const store = openVoucherStore(join(dataDir, 'prepd.sqlite'))
    const rows = await store.list(10)
    store.close()
    return rows
  }

  beforeAll(async () => {
    const store = openVoucherStore(join(dataDir, 'prepd.sqlite'))
    await adopt(store, { nowMs: Date.now })
    store.close()
    target = await open()
  })
  afterAll(() => target.stop())

  test.each(MALFORMED)('are not given for %s, and no chain is read', async (_, body) => {
    expect(await ask(target, body)).toMatchObject(refused('malformed'))
    expect(called()).toEqual([])
  })

  test.each<[string, RequestInit, Refusal]>([
    ['text', { headers: { 'content-type': 'text/plain' } }, 'wrong_type'],
    ['no type', { headers: { 'content-type': '' } }, 'wrong_type'],
    ['1025 bytes', jsonPost(JSON.stringify(asked).padEnd(1025)), 'too_large'],
  ])('are not given for %s', async (_, init, refusal) => {
    const answer = await ask(target, asked, init)
    expect({ status: answer.status, body: answer.body }).toEqual(refused(refusal))
    expect(called()).toEqual([])
  })

  test.each(['GET', 'PUT', 'DELETE', 'PATCH'])('take no %s', async (method) => {
    const body = method === 'GET' ? null : '{}'
    const answer = await ask(target, '', { method, body })
    expect({ status: answer.status, body: answer.body }).toEqual(refused('wrong_method'))
    expect(answer.headers.get('allow')).toBe('POST')
  })

  test.each(REFUSED)('are not given for a deposit that is %s', async (name, refusal) => {
    const answer = await ask(target, of(deposits[name]))
    expect({ status: answer.status, body: answer.body }).toEqual(refused(refusal))
    expect(await stored()).toEqual([])
  })

  test('are not given for other chains and unknown transactions', async () => {
    expect(await ask(target, { ...asked, chainId: 1 })).toMatchObject(refused('unsupported_chain'))
    expect(called()).toEqual([])
    const answer = await ask(target, asked)
    expect({ status: answer.status, body: answer.body }).toEqual(refused('unknown_transaction'))
    expect(called()).not.toEqual([])
    expect((await ask(target, asked)).text).toBe(answer.text)
    expect(called()).toEqual([])
    expect(await stored()).toEqual([])
  })

  test('are not given when a quorum cannot be reached, and the caller may come back', async () => {
    stage.endpoints[1].meddle(() => DEAD)
    const answer = await ask(target, of(deposits.good))
    expect({ status: answer.status, body: answer.body }).toEqual(refused('unreadable'))
    expect(answer.headers.get('retry-after')).toBe('15')
    expect(await stored()).toEqual([])
    expect(target.log()).not.toContain(stage.endpoints[1].url)
    stage.endpoints[1].meddle(null)
    await readable()
  })

  test('are not given where the store refuses the row, and the log says why', async () => {
    const database = openVoucherDatabase(join(dataDir, 'prepd.sqlite'))
    database.run(
      `CREATE TRIGGER refused BEFORE INSERT ON vouchers BEGIN SELECT RAISE(ROLLBACK, 'full'); END`,
    )
    const answer = await ask(target, of(deposits.good))
    database.run('DROP TRIGGER refused')
    database.close()
    expect({ status: answer.status, body: answer.body }).toEqual(refused('unkept'))
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(await stored()).toEqual([])
    expect(target.log()).toMatch(/"event":"store_unavailable".*"error":"SQLITE_CONSTRAINT_TRIGGER"/)
  })

  test('are pending, then signed, the same bytes ever after, and redeemed once', async () => {
    const deposit = await stage.deposit()
    const pending = await ask(target, of(deposit))
    expect(pending).toMatchObject({ status: 202, body: { status: 'pending' } })
    // Two, or three when the head was looked at before the deposit.
    expect([2, 3]).toContain(pending.body.blocksRemaining)
    expect(Object.keys(pending.body)).toEqual(['status', 'blocksRemaining'])
    expect(pending.headers.get('retry-after')).toBe('15')
    expect(await stored()).toEqual([])

    await stage.source.mine(2)
    let issued = await ask(target, of(deposit))
    // The head of a chain is looked at every few seconds.
    for (; issued.status === 202; issued = await ask(target, of(deposit))) await Bun.sleep(50)
    expect(issued).toMatchObject({ status: 200, body: { status: 'issued' } })
    const { voucher: message, signature, signer, domain, types, primaryType } = issued.body
    expect(await recoverTypedDataAddress({ domain, types, primaryType, message, signature })).toBe(
      signer,
    )
    expect(signer.toLowerCase()).toBe(SIGNER.address)

    const shouted = deposit.transactionHash.toUpperCase().replace('0X', '0x')
    const repeats = await Promise.all([
      ask(target, of(deposit)),
      ask(target, { chainId: SOURCE_ID, txHash: shouted }),
      ask(target, { ...of(deposit), logIndex: Number(deposit.logs.at(-1)?.logIndex) }),
    ])
    await target.stop()
    target = await open()
    repeats.push(await ask(target, of(deposit)))
    expect(repeats.map(({ text }) => text)).toEqual(repeats.map(() => issued.text))
    expect(await stored()).toHaveLength(1)
    expect((await redeem(stage, issued.body)).status).toBe('0x1')
    expect((await redeem(stage, issued.body)).status).toBe('0x0')
    expect(target.log()).not.toContain(KEY)
  })

  test.each([
    ['off', { VOUCHER: 'off' }],
    ['without a key', {}],
  ])('%s are not available, and only the limit of calls has a code', async (_, settings) => {
    const LIMIT_VOUCHER = '1/3600s burst 1'
    const base = { VOUCHER: folder.path('voucher.toml'), LIMIT_VOUCHER }
    const other = await openTarget(kind, { ...base, ...settings })
    const first = await ask(other, of(deposits.good))
    expect({ status: first.status, body: first.body }).toEqual(refused('unavailable'))
    const { code, error } = { code: 'rate_limited', error: FAILURES.rate_limited.error }
    const second = await ask(other, of(deposits.good))
    expect(second).toMatchObject({ status: 429, body: { code, error } })
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(called()).toEqual([])
    await other.stop()
  })
})
