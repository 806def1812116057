import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createLanes, type Lane } from '../../../src/core/loop/lanes.ts'
import { runs } from '../../runs.ts'
import { LONG_MS, type Queue, settled, traffic, WIDTHS } from './lane-traffic.ts'

describe('lanes', () => {
  test('reads stop short of the share of writes, which writes can still use', async () => {
    const { enter, inside } = traffic()
    for (let count = 0; count < 5; count += 1) void enter('read')
    void enter('write')
    await settled()
    expect(inside.map(({ lane }) => lane)).toEqual(['read', 'read', 'read', 'write'])
  })

  test('writes may use the share of reads', async () => {
    const { enter, inside } = traffic()
    for (let count = 0; count < 5; count += 1) void enter('write')
    await settled()
    expect(inside).toHaveLength(4)
  })

  test('calls of one lane are admitted in the order they came', async () => {
    const { enter, inside } = traffic()
    for (const name of ['1', '2', '3', '4', '5', '6']) void enter('read', name)
    await settled()
    for (let count = 0; count < 3; count += 1) inside[count]?.leave()
    await settled()
    expect(inside.map(({ name }) => name)).toEqual(['1', '2', '3', '4', '5', '6'])
  })

  test('a waiting write goes before a waiting read', async () => {
    const { enter, inside } = traffic()
    for (let count = 0; count < 4; count += 1) void enter('write', 'first')
    void enter('read', 'read')
    void enter('write', 'write')
    await settled()
    inside[0]?.leave()
    await settled()
    expect(inside.map(({ name }) => name).slice(4)).toEqual(['write'])
  })

  test('a cancel goes at once while orders hang in all slots, and before orders that wait', async () => {
    const { enter, inside, load } = traffic({ ...WIDTHS, reducingReserved: 1 })
    for (let count = 0; count < 4; count += 1) void enter('write', 'hangs')
    void enter('write', 'order waits')
    void enter('reducing', 'cancel')
    void enter('reducing', 'cancel waits')
    await settled()
    expect(inside.map(({ name }) => name).slice(4)).toEqual(['cancel'])
    expect(load('write')).toEqual({ inFlight: 5, queued: 2 })
    inside[0]?.leave()
    await settled()
    expect(inside.map(({ name }) => name).slice(5)).toEqual(['cancel waits'])
    inside[4]?.leave()
    await settled()
    expect(inside.map(({ name }) => name).slice(6)).toEqual(['order waits'])
  })

  test('orders and reads never take the slots of cancels, and cancels in them leave theirs', async () => {
    const { enter, inside } = traffic({ ...WIDTHS, reducingReserved: 2 })
    for (const name of ['1', '2']) void enter('reducing', name)
    for (let count = 0; count < 6; count += 1) void enter('write')
    await settled()
    expect(inside.map(({ lane }) => lane)).toEqual([
      ...Array(2).fill('reducing'),
      ...Array(4).fill('write'),
    ])
    for (const { leave } of inside.slice(0, 2)) leave()
    await settled()
    expect(inside).toHaveLength(6)
  })

  test('slots that are added go to calls that wait, and fewer slots end no call', async () => {
    const widths = { ...WIDTHS, concurrentMax: 1, writeReserved: 0, elapsedMs: () => 0 }
    const lanes = createLanes('upstream', widths, () => new Error('refused'))
    const inside: (() => void)[] = []
    for (let count = 0; count < 3; count += 1)
      void lanes.enter({ queue: 'write' }, LONG_MS).then((leave) => inside.push(leave))
    await settled()
    expect(inside).toHaveLength(1)
    widths.concurrentMax = 2
    lanes.admit()
    await settled()
    expect(inside).toHaveLength(2)
    widths.concurrentMax = 1
    inside[0]?.()
    await settled()
    expect(inside).toHaveLength(2)
    inside[1]?.()
    await settled()
    expect(inside).toHaveLength(3)
  })

  test('a call waits for slots that may be added, where those of now would free up too late', async () => {
    const queuedMax = { read: 9, write: 9 }
    const one = { concurrentMax: 1, writeReserved: 0, queuedMax }
    for (const [growsTo, refusals] of [
      [1, 2],
      [4, 0],
    ] as const) {
      const { enter, pass, refused } = traffic({ ...one, growsTo })
      await pass('write', 40_000, 1)
      for (let count = 0; count < 5; count += 1) void enter('write', '', 120_000)
      await settled()
      expect(refused).toHaveLength(refusals)
    }
  })

  test('a call that finds the queue full is refused at once, unsent', async () => {
    const { enter, inside, refused } = traffic()
    for (const name of ['1', '2', '3', '4', '5', '6', '7']) void enter('read', name)
    await settled()
    expect(refused).toEqual(['7 saturated false'])
    expect(inside).toHaveLength(3)
  })

  // Behind eight others, two at a time: four calls of a second each. A read is left a second, a write half its time.
  test.each([
    { lane: 'read', inTimeMs: 5000, tooLateMs: 4900 },
    { lane: 'write', inTimeMs: 8000, tooLateMs: 7900 },
  ] as const)(
    'a $lane that cannot be answered in time is refused at once, and one that can waits',
    async (row) => {
      const wide = { concurrentMax: 2, writeReserved: 0, queuedMax: { read: 100, write: 100 } }
      const { enter, refused, pass, load } = traffic(wide)
      await pass(row.lane, 1000, 64)
      for (let count = 0; count < 2 + 8; count += 1) void enter(row.lane)
      void enter(row.lane, 'in time', row.inTimeMs)
      void enter(row.lane, 'too late', row.tooLateMs)
      await settled()
      expect(refused).toEqual(['too late saturated false'])
      expect(load(row.lane)).toEqual({ inFlight: 2, queued: 9 })
    },
  )

  test('while nothing is known of how long calls take, nobody is refused for it', async () => {
    const { enter, refused, load } = traffic({ ...WIDTHS, queuedMax: { read: 50, write: 50 } })
    for (let count = 0; count < 3 + 50; count += 1) void enter('read', 'early', 100_000)
    await settled()
    expect(refused).toEqual([])
    expect(load('read')).toEqual({ inFlight: 3, queued: 50 })
  })

  test('calls that were slow are forgotten after 512 quick ones', async () => {
    const wide = { concurrentMax: 1, writeReserved: 0, queuedMax: { read: 100, write: 100 } }
    const { enter, refused, pass } = traffic(wide)
    await pass('read', 10_000, 64)
    await pass('read', 10, 512)
    for (let count = 0; count < 1 + 40; count += 1) void enter('read', 'quick', 10_000)
    await settled()
    expect(refused).toEqual([])
  })

  test('of two that wait equally long, the write gives up first: half its time is for the venue', async () => {
    const narrow = { concurrentMax: 1, writeReserved: 0, queuedMax: { read: 9, write: 9 } }
    const { enter, refused, pass } = traffic(narrow)
    await pass('read', 1, 64)
    await pass('write', 1, 64)
    await enter('write', 'holds')
    await Promise.all([enter('read', 'read', 200), enter('write', 'write', 200)])
    expect(refused).toEqual(['write saturated false', 'read saturated false'])
  })

  test('a call that waited too long is refused, unsent, and never admitted later', async () => {
    const { enter, inside, refused } = traffic()
    for (let count = 0; count < 3; count += 1) await enter('read')
    await enter('read', 'late', 10)
    expect(refused).toEqual(['late saturated false'])
    for (const { leave } of inside.slice()) leave()
    await enter('read', 'next')
    expect(inside.map(({ name }) => name).slice(3)).toEqual(['next'])
  })

  test('whatever comes and goes, limits hold and no slot is wasted or lost', async () => {
    const step = fc.oneof(
      fc.constantFrom('read' as const, 'write' as const),
      fc.nat({ max: 20 }).map((index) => ({ leave: index })),
    )
    const run = async (steps: readonly (Lane | { readonly leave: number })[]) => {
      const widths = { ...WIDTHS, queuedMax: { read: 100, write: 100 } }
      const { enter, inside } = traffic(widths)
      const asked: Record<Lane, number> = { read: 0, write: 0 }
      const gone: Record<Queue, number> = { read: 0, write: 0, reducing: 0 }
      for (const next of steps) {
        if (typeof next === 'string') {
          asked[next] += 1
          void enter(next)
        } else {
          const [out] = inside.splice(next.leave % Math.max(1, inside.length), 1)
          if (out) gone[out.lane] += 1
          out?.leave()
        }
        await settled()
        const reads = inside.filter(({ lane }) => lane === 'read').length
        const writes = inside.length - reads
        const readsWaiting = asked.read - gone.read - reads
        const writesWaiting = asked.write - gone.write - writes
        expect(reads).toBeLessThanOrEqual(3)
        expect(inside.length).toBeLessThanOrEqual(4)
        if (writesWaiting > 0) expect(inside).toHaveLength(4)
        if (readsWaiting > 0) expect(reads === 3 || inside.length === 4).toBe(true)
      }
    }
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60 }), run), { numRuns: runs(60) })
  })
})
