import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStoreFile } from '../../src/store/file.ts'
import { restoreStore } from '../../src/store/restore.ts'
import { envelope, jsonPost, type TestCall, type TestCaller } from '../caller.ts'
import { openTarget, type Target } from '../target.ts'
import { SYMBOL } from './asked.ts'
import { deleteStore } from './lost-store.ts'
import { askToLimit, newUser, post, signedBody, type TestWallet, WALLETS } from './wallets.ts'

const KEY = 'the-operator-key-of-the-test-of-losses'
const FOLDER = mkdtempSync(join(tmpdir(), 'prepd-lost-store-'))
afterAll(() => rmSync(FOLDER, { recursive: true }))

let target: Target
afterEach(() => target.stop())

let folders = 0
function newFolder(): string {
  folders += 1
  return join(FOLDER, String(folders))
}

async function start(dataDir: string, clock: 'virtual' | 'real' = 'virtual'): Promise<void> {
  target = await openTarget('in process', {
    ...{ DATA_DIR: dataDir, OPERATOR_KEY: KEY, VENUE_CLOCK: clock, LIMIT_WRITE: 'off' },
  })
}

/** Stops the server, and starts it again where its store is gone and its mark is not. */
async function loseStore(dataDir: string, left: 'nothing' | 'an empty file'): Promise<void> {
  await target.stop()
  deleteStore(dataDir)
  if (left === 'an empty file') writeFileSync(join(dataDir, 'prepd.sqlite'), '')
  await start(dataDir)
}

type Sent = ReturnType<typeof envelope>

async function send(signed: Sent) {
  const answer = await target.fetch('/api/prep/relay', jsonPost(signed))
  const { code, meta } = Object(await answer.json())
  return { status: answer.status, code, meta }
}

const relayed = (caller: TestCaller, call: TestCall) => send(envelope(caller, call))
const order = (own: object): TestCall => ({
  ...{ method: 'POST', path: '/v1/order' },
  body: JSON.stringify({ symbol: SYMBOL, order_type: 'MARKET', order_quantity: 0.5, ...own }),
})
const BUY = order({ side: 'BUY' })
const REDUCE = order({ side: 'SELL', reduce_only: true, order_quantity: 0.1 })
const CANCEL: TestCall = { method: 'DELETE', path: '/v1/orders' }
const MANDATE: TestCall = { method: 'GET', path: '/api/prep/mandate' }
const READ: TestCall = { method: 'GET', path: '/v1/positions' }

const act = (path: string) =>
  target.fetch(`/api/admin/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: '{}',
  })

async function readiness() {
  const answer = await target.ops('/readyz')
  return { status: answer.status, body: Object(await answer.json()) }
}

async function limit(wallet: TestWallet, limits: Record<string, string>): Promise<void> {
  const asked = await askToLimit(target, wallet, limits)
  const answer = await post(target, '/api/prep/mandate', await signedBody(wallet, asked))
  expect(answer.status).toBe(200)
}

const USED_UP = { status: 403, code: 'mandate_exceeded', meta: { reason: 'daily_value', left: 0 } }
const REFUSED = { status: 503, code: 'not_available', meta: { reason: 'restored' } }

describe.each(['nothing', 'an empty file'] as const)(
  'where %s is left of a store beside its mark',
  (left) => {
    test('nothing is sent twice, accounts only cancel and reduce, and it is not ready until that is confirmed', async () => {
      const dataDir = newFolder()
      await start(dataDir)
      const wallet = WALLETS.ethers()
      const own = await newUser(target, wallet)
      const other = await newUser(target)
      const before = envelope(own, BUY)
      expect(await send(before)).toMatchObject({ status: 200 })
      expect(await relayed(other, BUY)).toMatchObject({ status: 200 })
      expect(await readiness()).toMatchObject({ status: 200, body: { ready: true } })

      await loseStore(dataDir, left)
      const lost =
        /^The store was missing beside its mark at .*; writes signed before .* are unknown\./
      const { status, body } = await readiness()
      expect([status, body.ready]).toEqual([503, false])
      expect(body.missing).toMatch(/^store: The store was missing beside its mark at /)
      expect(body.reasons.store).toMatch(lost)
      expect(body.reasons.store).toEndWith('prepd --mode admin loss confirm')
      expect(target.log()).toContain('"event":"store_created"')
      expect(target.log()).toContain('"event":"records_lost"')
      expect(await send(before)).toMatchObject({ status: 409, code: 'outcome_unknown' })
      for (const caller of [own, other]) {
        expect(await relayed(caller, CANCEL)).toMatchObject({ status: 200 })
        expect(await relayed(caller, READ)).toMatchObject({ status: 200 })
        expect(await relayed(caller, REDUCE)).toMatchObject({ status: 200 })
        const refused = await relayed(caller, BUY)
        expect(refused).toMatchObject(REFUSED)
        expect(refused.meta.sentence).toMatch(lost)
      }

      // A wallet confirms its own account, and no other.
      await limit(wallet, { maxOrderUsdc: '100000' })
      expect(await relayed(own, BUY)).toMatchObject({ status: 200 })
      expect(await relayed(other, BUY)).toMatchObject(REFUSED)

      expect((await act('loss/confirm')).status).toBe(200)
      expect(await relayed(other, BUY)).toMatchObject({ status: 200 })
      expect(await readiness()).toMatchObject({ status: 200, body: { ready: true } })
      expect((await act('loss/confirm')).status).toBe(404)
      await target.stop()
      await start(dataDir)
      expect(await readiness()).toMatchObject({ status: 200 })
      expect(await relayed(other, BUY)).toMatchObject({ status: 200 })
    })
  },
)

test('a first start says that it made a store, and sends nothing that was signed before', async () => {
  const dataDir = newFolder()
  await start(dataDir)
  const caller = await newUser(target)
  const early = envelope(caller, { ...BUY, timestamp: String(Date.now() - 120_000) })
  expect(await send(early)).toMatchObject({ status: 409, code: 'outcome_unknown' })
  const cancel = envelope(caller, { ...CANCEL, timestamp: String(Date.now() - 120_000) })
  expect(await send(cancel)).toMatchObject({ status: 200 })
  expect(await relayed(caller, BUY)).toMatchObject({ status: 200 })
  const made = () =>
    target
      .log()
      .split('\n')
      .filter((line) => line.includes('store_created'))
  expect(made()).toHaveLength(1)
  await target.stop()
  await start(dataDir)
  expect(made()).toHaveLength(0)
  expect(await send(early)).toMatchObject({ status: 409, code: 'outcome_unknown' })
  expect(await readiness()).toMatchObject({ status: 200 })
})

test('after the store was lost the day counts as used up, for an account that sent nothing and after the confirmation too', async () => {
  const dataDir = newFolder()
  await start(dataDir, 'real')
  const wallet = WALLETS.ethers()
  const caller = await newUser(target, wallet)
  expect(await relayed(caller, BUY)).toMatchObject({ status: 200 })
  await target.stop()
  deleteStore(dataDir)
  await start(dataDir, 'real')
  expect(await relayed(caller, READ)).toMatchObject({ status: 200 })
  await limit(wallet, { maxDailyUsdc: '100000' })
  const { meta } = await relayed(caller, BUY)
  expect(meta).not.toHaveProperty('requested')
  expect(await relayed(caller, BUY)).toMatchObject(USED_UP)
  expect((await act('loss/confirm')).status).toBe(200)
  expect(await relayed(caller, BUY)).toMatchObject(USED_UP)
  expect(await relayed(caller, REDUCE)).toMatchObject({ status: 200 })
  expect(await relayed(caller, CANCEL)).toMatchObject({ status: 200 })
  await limit(wallet, { maxOrderUsdc: '100000' })
  expect(await relayed(caller, BUY)).toMatchObject({ status: 200 })
})

test('after a restore cancels go at once, other writes do not, and the day counts as used up', async () => {
  const dataDir = newFolder()
  await start(dataDir, 'real')
  const wallet = WALLETS.ethers()
  const caller = await newUser(target, wallet)
  await limit(wallet, { maxDailyUsdc: '100000' })
  const used = async () => {
    const answer = await target.fetch('/api/prep/relay', jsonPost(envelope(caller, MANDATE)))
    return Object(await answer.json()).used
  }
  expect(await used()).toMatchObject({ maxDailyUsdc: '0' })
  const copy = join(FOLDER, 'copy.bak')
  await openStoreFile(join(dataDir, 'prepd.sqlite')).backup(copy)
  await target.stop()
  const restored = newFolder()
  await restoreStore(copy, restored, Date.now())
  await start(restored, 'real')
  const { status, body } = await readiness()
  expect([status, body.ready, body.degraded]).toEqual([200, true, ['store']])
  expect(body.reasons.store).toMatch(
    /^The store was restored at .*, from a backup of .*; writes signed before /,
  )
  expect(await relayed(caller, CANCEL)).toMatchObject({ status: 200 })
  expect(await relayed(caller, READ)).toMatchObject({ status: 200 })
  expect(await used()).toEqual({ maxDailyUsdc: '100000' })
  // A write may have been signed ahead of the time before the loss.
  expect(await relayed(caller, BUY)).toMatchObject({ status: 409, code: 'outcome_unknown' })
})
