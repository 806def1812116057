import { expect, test } from 'bun:test'
import { createWindowTable } from '../../../src/gateway/limits/window-table.ts'

const NOW_MS = 1_700_000_000_000

// Slow: a whole table is filled.
test('a table of many shards takes nearly as many keys as it may hold, and never more', () => {
  const keysMax = 100_000
  const table = createWindowTable(keysMax)
  for (let n = 0; n < 2 * keysMax; n += 1) {
    const key = `read 10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`
    table.shardOf(key).set(key, NOW_MS + 1, NOW_MS)
  }
  expect(table.size()).toBeWithin(keysMax * 0.95, keysMax + 1)
})

test('keys of every shape spread evenly over the shards', () => {
  const table = createWindowTable(1_000_000)
  const shapes = [
    (n: number) => `read 10.0.${n >> 8}.${n & 255}`,
    (n: number) => `read ${n & 255}.${n >> 8}.0.9`,
    (n: number) => `account account:0x${n.toString(16).padStart(64, '0')}`,
    (n: number) => `read 2001:db8:0:${n.toString(16)}::/64`,
  ]
  for (const shape of shapes) {
    const counts = new Map<unknown, number>()
    for (let n = 0; n < 25_600; n += 1) {
      const shard = table.shardOf(shape(n))
      counts.set(shard, (counts.get(shard) ?? 0) + 1)
    }
    expect(counts.size).toBe(256)
    expect(Math.max(...counts.values())).toBeLessThan(200)
  }
})

test('a key that is past is written down no more, and is forgotten by a full turn of sweeps', () => {
  const table = createWindowTable(10_000)
  for (let n = 0; n < 5000; n += 1) table.shardOf(`k${n}`).set(`k${n}`, NOW_MS + 10, NOW_MS)
  table.shardOf('live').set('live', NOW_MS + 99, NOW_MS)
  for (let turn = 0; turn < 4; turn += 1) table.sweepNext(NOW_MS + 10)
  expect(table.size()).toBe(1)
  expect(table.takeChanged(100_000, NOW_MS + 10)).toEqual([{ key: 'live', atMs: NOW_MS + 99 }])
})
