import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { consoleFigures } from '../../../src/gateway/voucher/figures.ts'
import { areVouchersStopped, setPaused } from '../../../src/gateway/voucher/pause.ts'
import { createVoucherWatch } from '../../../src/gateway/voucher/watch.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { openVoucherStore } from '../../../src/store/voucher/sqlite.ts'

const NOW_MS = 1_800_000_000_000
const CLOCK = { nowMs: () => NOW_MS }

test('the console is told of pauses, adoption and caps, and of no address', async () => {
  const store = openVoucherStore(':memory:')
  const token = `0x${'ab'.repeat(20)}`
  const config = {
    chains: new Map(),
    caps: new Map([[`${token}:42161`, 500n]]),
    validitySeconds: 1,
  }
  expect(await setPaused(store, CLOCK, true)).toBe(true)
  expect(await setPaused(store, CLOCK, true)).toBe(false)
  const figures = await consoleFigures({ config, store }, CLOCK)
  expect(figures).toEqual({
    isPaused: true,
    isAdopted: false,
    caps: [{ chainId: 42_161, token: 1, cap: '500', redeemable: '0', isLost: false }],
  })
  expect(JSON.stringify(figures)).not.toContain(token)
  expect(await setPaused(store, CLOCK, false)).toBe(true)
  expect((await consoleFigures({ config, store }, CLOCK)).isPaused).toBe(false)
  expect((await store.audit(10)).map(({ event }) => event)).toEqual(['resumed', 'paused'])
  expect(await areVouchersStopped(store)).toBe(true)
  await store.record({ atMs: NOW_MS, event: 'adopted' })
  expect((await consoleFigures({ config, store }, CLOCK)).isAdopted).toBe(true)
  expect(await areVouchersStopped(store)).toBe(false)
  store.close()
})

test('lost vouchers are shown beside the known sum of a cap, which raises no alarm, until none is missing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'prepd-lost-caps-'))
  const path = join(folder, 'prepd.sqlite')
  openSqlite(path, 1).close()
  const database = new Database(path)
  database.run("INSERT INTO voucher_audit (at_ms, event) VALUES (?, 'lost')", [NOW_MS])
  database.close()
  const store = openVoucherStore(path)
  const config = { chains: new Map(), caps: new Map([['0xpaid:902', 500n]]), validitySeconds: 1 }
  const watch = createVoucherWatch({ config, store }, [], CLOCK)
  const look = async () => {
    await watch.look()
    const { caps } = await consoleFigures({ config, store }, CLOCK)
    return { capUsed: watch.capUsed(), caps }
  }
  const known = { chainId: 902, token: 1, cap: '500', redeemable: '0' }
  expect(await look()).toEqual({ capUsed: null, caps: [{ ...known, isLost: true }] })
  await store.record({ atMs: NOW_MS, event: 'complete' })
  expect(await look()).toEqual({ capUsed: 0, caps: [{ ...known, isLost: false }] })
  store.close()
  rmSync(folder, { recursive: true })
})
