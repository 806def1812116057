import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DAY_MS } from '../../src/contract/durations.ts'
import type { ClaimedUse } from '../../src/core/claim.ts'
import { Failure } from '../../src/core/failure.ts'
import { yieldToEventLoop } from '../../src/core/loop/guarded.ts'
import type { Store } from '../../src/core/ports.ts'
import { exceedsDay, type ReservedUse } from '../../src/core/spending.ts'
import type { Standby } from '../../src/core/standby.ts'
import { type LogSync, openLogSync } from '../../src/store/connection/log-sync.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { openVoucherStore } from '../../src/store/voucher/sqlite.ts'
import { row } from './voucher/rows.ts'

const NOW_MS = 1_700_000_000_000
const ROOT = mkdtempSync(join(tmpdir(), 'prepd-failed-sync-'))
afterAll(() => rmSync(ROOT, { recursive: true }))
const UNAVAILABLE = { code: 'store_unavailable' }
const FAULT = Object.assign(new Error('the disk failed'), { code: 'EIO' })
let directories = 0

/** A store whose syncs take two turns of the event loop and fail while `disk.fault` is set. */
function openOnDisk() {
  directories += 1
  const path = join(ROOT, `data-${directories}`, 'prepd.sqlite')
  const disk: { fault: Error | null } = { fault: null }
  const openLog = (of: string): LogSync => {
    const log = openLogSync(of, () => 0)
    return {
      ...log,
      tookMs: () => null,
      start: (done) =>
        void yieldToEventLoop()
          .then(yieldToEventLoop)
          .then(() => log.start(() => done(disk.fault))),
    }
  }
  return { path, disk, store: openSqlite(path, NOW_MS, undefined, { openLog }) }
}

/** Runs a call whose sync fails. */
async function refused(
  { disk }: ReturnType<typeof openOnDisk>,
  ...calls: (() => Promise<unknown>)[]
): Promise<void> {
  disk.fault = FAULT
  const results = await Promise.allSettled(calls.map((call) => call()))
  disk.fault = null
  for (const result of results)
    expect(result).toMatchObject({ status: 'rejected', reason: UNAVAILABLE })
}

const held = (identity: string) => ({ identity, sinceMs: NOW_MS, expiresAtMs: NOW_MS + DAY_MS })
const reservation = (identity: string, micros: bigint) => ({
  ...{ scope: 'mine', identity, atMs: NOW_MS },
  uses: [{ symbol: 'PERP_ETH_USDC', micros, orders: 1 }],
})

/** Claims a write of 60 within a limit of 100 for the day, with an order id that is held for a day. */
function claim(store: Store, identity: string): Promise<boolean> {
  const use: ClaimedUse = {
    reservation: reservation(identity, 60n),
    ids: [held('order id')],
    refusal: (used, isTaken) => {
      if (isTaken) return new Failure('duplicate_request')
      return exceedsDay(used, 60n, 100n) ? new Failure('mandate_exceeded') : null
    },
    unseenSinceMs: 0,
  }
  return store.once.claim({ ...held(identity), owner: 'me' }, NOW_MS, use)
}

const used = async (store: Store) => (await store.spending.used('mine', NOW_MS)).dayMicros

describe('after a failed sync', () => {
  test('a second write may use the value and the order id of the refused one, and only once', async () => {
    const opened = openOnDisk()
    const { store } = opened
    await refused(opened, () => claim(store, 'first'))
    expect(await used(store)).toBe(0n)
    expect(await claim(store, 'second')).toBe(true)
    expect(await used(store)).toBe(60n)
    await expect(claim(store, 'third')).rejects.toMatchObject({ code: 'duplicate_request' })
    store.close()
  })

  test('the next start knows no claim of the refused write, and the next sweep deletes its rows', async () => {
    const opened = openOnDisk()
    expect(await claim(opened.store, 'kept')).toBe(true)
    await opened.store.once.release('kept', [held('order id')])
    expect(await opened.store.sweep(NOW_MS, 100)).toBe(2)
    await refused(opened, () => claim(opened.store, 'first'))
    expect(await opened.store.sweep(NOW_MS, 100)).toBe(2)
    await refused(opened, () => claim(opened.store, 'first'))
    opened.store.close()
    const again = openSqlite(opened.path, NOW_MS)
    expect(await claim(again, 'first')).toBe(true)
    expect(await claim(again, 'first')).toBe(false)
    again.close()
  })

  test('a refused reservation uses nothing, and one before it of the same write counts again', async () => {
    const opened = openOnDisk()
    const { spending } = opened.store
    const reserve = (
      identity: string,
      micros: bigint,
      judge = (_: ReservedUse): Failure | null => null,
    ) => spending.reserve(reservation(identity, micros), judge, 0)
    await refused(opened, () => reserve('random', 60n))
    expect(await used(opened.store)).toBe(0n)
    expect(await reserve('same', 10n)).toBe(null)
    await refused(opened, () => reserve('same', 70n))
    expect(await used(opened.store)).toBe(10n)
    const broken = () => {
      throw new Failure('internal')
    }
    await expect(reserve('same', 70n, broken)).rejects.toMatchObject({ code: 'internal' })
    expect(await used(opened.store)).toBe(10n)
    opened.store.close()
  })

  test('a nonce that the refused call used is valid until its expiry, and one that was used before is not', async () => {
    const opened = openOnDisk()
    const { nonces } = opened.store
    await nonces.issue('fresh', NOW_MS + 1000)
    await nonces.issue('used', NOW_MS + 1000)
    expect(await nonces.burn('used', NOW_MS)).toBe(true)
    await refused(
      opened,
      () => nonces.burn('fresh', NOW_MS),
      () => nonces.burn('used', NOW_MS),
    )
    expect(await nonces.list(9)).toMatchObject({
      rows: [{ nonce: 'fresh', expiresAtMs: NOW_MS + 1000 }],
    })
    expect(await nonces.burn('fresh', NOW_MS)).toBe(true)
    expect(await nonces.burn('fresh', NOW_MS)).toBe(false)
    opened.store.close()
  })

  test('the controls of refused acts are as before, also when a later act changed them again', async () => {
    const opened = openOnDisk()
    const { controls } = opened.store
    const entry = { atMs: NOW_MS, act: 'test', fields: {}, fingerprint: 'f' }
    const put = (key: string, value: string | null) => ({ kind: 'k', key, value })
    await controls.commit(entry, [put('closed', 'yes')])
    const before = await controls.load()
    await refused(
      opened,
      () => controls.commit(entry, [put('closed', null), put('new', '1')]),
      async () => {
        await yieldToEventLoop()
        await controls.commit(entry, [put('new', '2'), put('closed', 'again')])
      },
      () => controls.commit(entry, [put('new', '3')]),
    )
    expect(await controls.load()).toEqual(before)
    opened.store.close()
    const again = openSqlite(opened.path, NOW_MS)
    expect(await again.controls.load()).toEqual(before)
    again.close()
  })

  test('a standby whose outcome was refused is sent again after its lease, and one armed since is kept', async () => {
    const opened = openOnDisk()
    const { standbys } = opened.store
    const pair = { accountId: 'account', publicKey: 'key' }
    const armed: Standby = {
      ...{ ...pair, cancels: [{ path: '/v1/orders', timestamp: '1', signature: 'signed' }] },
      ...{ signedAtMs: 1, afterMs: 10, dueAtMs: 20, endsAtMs: 900 },
      ...{ state: 'armed', changedAtMs: 1, failure: null },
    }
    expect(await standbys.arm(armed)).toBe(true)
    const [taken] = await standbys.take(20, 30, 1)
    const outcome = { cancels: [], dueAtMs: 20, changedAtMs: 21, failure: null } as const
    await refused(opened, () => standbys.put(taken ?? armed, { ...outcome, state: 'cancelled' }))
    expect(await standbys.take(29, 50, 1)).toEqual([])
    const [again] = await standbys.take(30, 50, 1)
    expect(again).toEqual({ ...armed, state: 'sending', dueAtMs: 50, changedAtMs: 30 })
    const later = { ...armed, signedAtMs: 2, dueAtMs: 40, changedAtMs: 31 }
    await refused(
      opened,
      () => standbys.put(again ?? armed, { ...outcome, state: 'cancelled' }),
      () => standbys.arm(later),
    )
    expect(await standbys.find(pair)).toEqual(later)
    opened.store.close()
  })

  test('vouchers wait until the log is emptied, also to sign the row of a refused request', async () => {
    const opened = openOnDisk()
    const vouchers = openVoucherStore(opened.path, opened.store.awaitDisk)
    await refused(opened, () => vouchers.atomically((books) => books.put(row())))
    const reader = new Database(opened.path)
    reader.run('BEGIN')
    reader.query('SELECT count(*) FROM vouchers').get()
    const find = () => vouchers.atomically(({ byKey }) => byKey(row().depositKey))
    await expect(find()).rejects.toMatchObject(UNAVAILABLE)
    await expect(
      vouchers.atomically((books) => books.put(row({ depositKey: 'other' }))),
    ).rejects.toMatchObject(UNAVAILABLE)
    reader.run('COMMIT')
    reader.close()
    const logged = statSync(`${opened.path}-wal`).size
    expect(await find()).toEqual(row())
    expect(statSync(`${opened.path}-wal`).size).toBeLessThan(logged)
    vouchers.close()
    opened.store.close()
  })
})
