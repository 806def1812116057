import { expect, test } from 'bun:test'
import { consoleFigures } from '../../../src/gateway/voucher/figures.ts'
import { areVouchersStopped, setPaused } from '../../../src/gateway/voucher/pause.ts'
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
    caps: [{ chainId: 42_161, token: 1, cap: '500', redeemable: '0' }],
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
