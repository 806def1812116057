import { describe, expect, test } from 'bun:test'
import type { Store } from '../../../src/core/ports.ts'
import { createLimiter, type Limiter } from '../../../src/gateway/limits/limiter.ts'
import { rateHeaders } from '../../../src/gateway/limits/verdict.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'

const START_MS = 1_700_000_000_000
const READ = { requests: 600, seconds: 60, burst: 120 }
const WRITE = { requests: 10, seconds: 60, burst: 5 }

type Harness = { limiter: Limiter; store: Store; at: (ms: number) => void; restart: () => Limiter }

/** A limiter on a real store, and a clock to move. */
function harness(keysMax = 1000): Harness {
  const store = openSqlite(':memory:', 0)
  let nowMs = START_MS
  const clock = { nowMs: () => nowMs }
  const policies = { read: READ, write: WRITE }
  const restart = () => createLimiter({ clock, policies, store: store.windows, keysMax })
  return { limiter: restart(), store, at: (ms) => (nowMs = START_MS + ms), restart }
}

const storedKeys = ({ store }: Harness) =>
  [...store.windows.load(START_MS)].map(({ key }) => key).sort()

function exhaust(limiter: Limiter, key: string): void {
  for (let sent = 0; sent < WRITE.burst; sent += 1) limiter.charge('write', key)
}

describe('a charge', () => {
  test('is allowed for the burst, refused after it, and says when to come back', () => {
    const { limiter, at } = harness()
    const allowed = Array.from({ length: 6 }, () => limiter.charge('write', '1.2.3.4').allowed)
    expect(allowed).toEqual([true, true, true, true, true, false])
    at(100)
    expect(limiter.charge('write', '1.2.3.4')).toEqual({
      allowed: false,
      policy: { name: 'write', ...WRITE },
      remaining: 0,
      resetSeconds: 30,
      retryAfterSeconds: 6,
    })
    at(6000)
    expect(limiter.charge('write', '1.2.3.4').allowed).toBe(true)
  })

  test('after the clock was set back is full again within one burst, and says when it passes', () => {
    const { limiter, at } = harness()
    exhaust(limiter, '1.2.3.4')
    at(-3_600_000)
    const refused = limiter.charge('write', '1.2.3.4')
    expect(refused).toMatchObject({ allowed: false, retryAfterSeconds: 6, resetSeconds: 30 })
    at(-3_600_000 + 5999)
    expect(limiter.charge('write', '1.2.3.4').allowed).toBe(false)
    at(-3_600_000 + 6000)
    expect(limiter.charge('write', '1.2.3.4').allowed).toBe(true)
    at(-3_600_000 + 36_000)
    expect(limiter.charge('write', '1.2.3.4')).toMatchObject({ allowed: true, remaining: 4 })
  })

  test('counts keys apart, and policies apart', () => {
    const { limiter } = harness()
    exhaust(limiter, '1.2.3.4')
    expect(limiter.charge('write', '1.2.3.4').allowed).toBe(false)
    expect(limiter.charge('write', '1.2.3.5').remaining).toBe(4)
    expect(limiter.charge('read', '1.2.3.4').remaining).toBe(119)
  })

  test('of a policy that is off is allowed, remembered by nobody and told to nobody', () => {
    const { limiter, store } = harness()
    for (let sent = 0; sent < 10_000; sent += 1) {
      expect(limiter.charge('admin', '1.2.3.4').allowed).toBe(true)
    }
    expect(limiter.size()).toBe(0)
    expect(rateHeaders(limiter.charge('admin', '1.2.3.4'))).toEqual({})
    expect(limiter.charge('admin', '1.2.3.4')).toMatchObject({
      allowed: true,
      remaining: Number.POSITIVE_INFINITY,
      resetSeconds: 0,
      retryAfterSeconds: 0,
    })
    limiter.flush(100)
    expect([...store.windows.load(0)]).toEqual([])
  })
})

describe('the headers of a verdict', () => {
  test('say what is left, and only of a refusal when to come back', () => {
    const { limiter } = harness()
    expect(rateHeaders(limiter.charge('read', 'a'))).toEqual({
      ratelimit: '"read";r=119;t=1',
      'ratelimit-policy': '"read";q=600;w=60',
    })
    exhaust(limiter, 'a')
    expect(rateHeaders(limiter.charge('write', 'a'))).toEqual({
      'retry-after': '6',
      ratelimit: '"write";r=0;t=30',
      'ratelimit-policy': '"write";q=10;w=60',
    })
  })

  test('never tell a refused caller to come back in 0 seconds', () => {
    const { limiter, at } = harness()
    exhaust(limiter, 'a')
    at(5999)
    expect(rateHeaders(limiter.charge('write', 'a'))['retry-after']).toBe('1')
  })
})

describe('when there are too many keys', () => {
  test('newcomers share windows by their keys, so that one fills few of them, and no live debt is forgotten', () => {
    const { limiter } = harness(3)
    for (const key of ['a', 'b', 'c']) exhaust(limiter, key)
    const own = Array.from({ length: 8 }, () => limiter.charge('write', 'new').allowed)
    expect(own).toEqual([true, true, true, true, true, false, false, false])
    const others = Array.from(
      { length: 100 },
      (_, n) => limiter.charge('write', `another ${n}`).allowed,
    )
    expect(others.filter((isAllowed) => !isAllowed).length).toBeLessThan(10)
    for (const key of ['a', 'b', 'c']) expect(limiter.charge('write', key).allowed).toBe(false)
    expect(limiter.charge('read', 'new8').allowed).toBe(true)
    expect(limiter.size()).toBe(3)
  })

  test('windows whose debt is paid give way first', () => {
    const { limiter, at } = harness(3)
    exhaust(limiter, 'long')
    limiter.charge('write', 'short1')
    limiter.charge('write', 'short2')
    at(6000)
    expect(limiter.charge('write', 'new1').remaining).toBe(4)
    expect(limiter.charge('write', 'new2').remaining).toBe(4)
    expect(limiter.charge('write', 'long').remaining).toBe(0)
    expect(limiter.charge('write', 'long').allowed).toBe(false)
    expect(limiter.size()).toBe(3)
  })

  // Slow: two hundred thousand callers are limited.
  test('a flood of one-time callers leaves memory bounded by those in debt', () => {
    const { limiter, at } = harness(100_000)
    for (let n = 0; n < 200_000; n += 1) {
      if (n % 100 === 0) at(n)
      limiter.charge('write', `k${n}`)
    }
    // Each is in debt for six seconds, so some 6,000 are at any time; the sweep lags by no more than twice that.
    expect(limiter.size()).toBeLessThan(30_000)
    expect(limiter.charge('write', 'k199999').remaining).toBe(3)
  })

  test('idle windows are forgotten by flushes alone', () => {
    const { limiter, at } = harness(1000)
    for (let n = 0; n < 500; n += 1) limiter.charge('write', `k${n}`)
    at(6000)
    expect(limiter.flush(1000)).toBe(0)
    expect(limiter.size()).toBe(0)
  })
})

describe('a flush', () => {
  test('writes windows in debt once, and again only after they changed', () => {
    const world = harness()
    world.limiter.charge('write', 'a')
    world.limiter.charge('write', 'b')
    expect(world.limiter.flush(100)).toBe(2)
    expect(storedKeys(world)).toEqual(['write a', 'write b'])
    expect(world.limiter.flush(100)).toBe(0)
    world.limiter.charge('write', 'b')
    expect(world.limiter.flush(100)).toBe(1)
  })

  test('does no more at once than it is told, and gets to everyone', () => {
    const world = harness()
    for (let n = 0; n < 25; n += 1) world.limiter.charge('write', `k${n}`)
    expect([1, 2, 3, 4].map(() => world.limiter.flush(10))).toEqual([10, 10, 5, 0])
    expect(storedKeys(world)).toHaveLength(25)
  })

  test('does not write what is paid by then, nor refusals, which change nothing', () => {
    const world = harness()
    world.limiter.charge('read', 'paid')
    exhaust(world.limiter, 'a')
    world.at(1000)
    expect(world.limiter.flush(100)).toBe(1)
    expect(storedKeys(world)).toEqual(['write a'])
    world.limiter.charge('write', 'a')
    expect(world.limiter.flush(100)).toBe(0)
  })

  test('of nothing writes nothing, and one that fails loses nothing: the next one writes it', () => {
    const { store } = harness()
    let broken = true
    const windows = {
      load: store.windows.load,
      save: (rows: Parameters<typeof store.windows.save>[0]) => {
        if (broken) throw new Error('disk full')
        store.windows.save(rows)
      },
    }
    const clock = { nowMs: () => START_MS }
    const limiter = createLimiter({
      clock,
      policies: { write: WRITE },
      store: windows,
      keysMax: 10,
    })
    expect(limiter.flush(100)).toBe(0)
    limiter.charge('write', 'a')
    expect(() => limiter.flush(100)).toThrow('disk full')
    broken = false
    expect(limiter.flush(100)).toBe(1)
    expect([...store.windows.load(START_MS)]).toHaveLength(1)
  })
})

describe('after a restart', () => {
  test('debts that were flushed still hold, and those paid meanwhile are gone', () => {
    const { limiter, at, restart } = harness()
    exhaust(limiter, 'a')
    limiter.charge('write', 'b')
    limiter.flush(100)
    at(6000)
    const next = restart()
    expect(next.load()).toBe(1)
    expect(next.charge('write', 'a').remaining).toBe(0)
    expect(next.charge('write', 'a').allowed).toBe(false)
    expect(next.charge('write', 'b').remaining).toBe(4)
  })

  test('no more windows are taken up than there is room for', () => {
    const { limiter, store, at } = harness()
    for (let n = 0; n < 50; n += 1) limiter.charge('write', `k${n}`)
    limiter.flush(100)
    at(1)
    const clock = { nowMs: () => START_MS }
    const small = createLimiter({
      clock,
      policies: { write: WRITE },
      store: store.windows,
      keysMax: 7,
    })
    expect(small.load()).toBe(7)
    expect(small.size()).toBe(7)
  })
})
