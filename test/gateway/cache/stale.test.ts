import { describe, expect, test } from 'bun:test'
import type { FailureCode } from '../../../src/contract/failures.ts'
import { Failure } from '../../../src/core/failure.ts'
import type { Store } from '../../../src/core/ports.ts'
import { KEY, LIFETIME, openFixture, settle, textOf } from './fixture.ts'

describe('a stale answer', () => {
  test('is served at once while one renewal runs behind it', async () => {
    const { cache, venue, at } = openFixture()
    await cache.serve(KEY, LIFETIME, venue.load)
    at(5)
    const release = venue.hold()
    for (let n = 0; n < 10; n += 1) {
      const stale = await cache.serve(KEY, LIFETIME, venue.load)
      expect(stale).toMatchObject({ state: 'stale', ageSeconds: 5 })
      expect(textOf(stale)).toBe('{"value":1}')
    }
    expect(venue.calls).toBe(2)
    release()
    await settle()
    const renewed = cache.peek(KEY, LIFETIME)
    expect(renewed && textOf(renewed)).toBe('{"value":2}')
  })

  test('survives a failed renewal, which is logged and not tried again at once', async () => {
    const { cache, venue, at, lines } = openFixture()
    await cache.serve(KEY, LIFETIME, venue.load)
    venue.fails = new Failure('not_found')
    at(6)
    await cache.serve(KEY, LIFETIME, venue.load)
    await settle()
    for (let n = 0; n < 10; n += 1) await cache.serve(KEY, LIFETIME, venue.load)
    expect(venue.calls).toBe(2)
    expect(lines).toEqual([
      {
        level: 'warn',
        event: 'cache.renewal_failed',
        fields: { operation: 'op:markets.get', error: 'not_found' },
      },
    ])
    at(8)
    expect((await cache.serve(KEY, LIFETIME, venue.load)).state).toBe('stale')
    expect(venue.calls).toBe(3)
    await settle()
    venue.fails = undefined
    at(10)
    await cache.serve(KEY, LIFETIME, venue.load)
    await settle()
    expect(cache.peek(KEY, LIFETIME)).toMatchObject({ state: 'hit', ageSeconds: 0 })
  })
})

test('a caller who hangs up during a renewal is no sign of trouble: the next one renews', async () => {
  const { cache, venue, at, lines } = openFixture()
  await cache.serve(KEY, LIFETIME, venue.load)
  at(6)
  await cache.serve(KEY, LIFETIME, () => Promise.reject(new DOMException('gone', 'AbortError')))
  await settle()
  await cache.serve(KEY, LIFETIME, venue.load)
  await settle()
  expect(cache.peek(KEY, LIFETIME)).toMatchObject({ state: 'hit', ageSeconds: 0 })
  expect(lines).toEqual([])
})

describe('in an outage', () => {
  const outages: FailureCode[] = ['upstream_unavailable', 'upstream_busy', 'upstream_timeout']
  test.each(outages)('%s is bridged by a stale answer', async (code) => {
    const { cache, venue, at } = openFixture()
    await cache.serve(KEY, LIFETIME, venue.load)
    venue.fails = new Failure(code)
    at(64)
    expect(await cache.serve(KEY, LIFETIME, venue.load)).toMatchObject({
      state: 'stale',
      ageSeconds: 64,
    })
    expect(venue.calls).toBe(2)
  })

  const others: [name: string, error: Error][] = [
    ['something that is not there', new Failure('not_found')],
    ['a failure of ours', new Failure('internal')],
    ['a bug', new TypeError('bug')],
  ]
  test.each(others)('%s is not bridged', async (_, error) => {
    const { cache, venue, at } = openFixture()
    await cache.serve(KEY, LIFETIME, venue.load)
    venue.fails = error
    at(20)
    expect(await cache.serve(KEY, LIFETIME, venue.load).catch((thrown) => thrown)).toBe(error)
  })

  test('an answer past its bound is not served', async () => {
    const { cache, venue, at } = openFixture()
    await cache.serve(KEY, LIFETIME, venue.load)
    venue.fails = new Failure('upstream_unavailable')
    at(65)
    await expect(cache.serve(KEY, LIFETIME, venue.load)).rejects.toMatchObject({
      code: 'upstream_unavailable',
    })
  })

  test('a caller whose patience ends gets the stale answer', async () => {
    const { cache, venue, at } = openFixture()
    await cache.serve(KEY, LIFETIME, venue.load)
    at(20)
    const release = venue.hold()
    const leader = cache.serve(KEY, LIFETIME, venue.load)
    expect(await cache.serve(KEY, LIFETIME, venue.load, 1)).toMatchObject({
      state: 'stale',
      ageSeconds: 20,
    })
    release()
    expect((await leader).state).toBe('miss')
    expect(venue.calls).toBe(2)
    expect(cache.peek(KEY, LIFETIME)).toMatchObject({ state: 'hit' })
  })

  test('only one caller at a time finds out whether it is over; nobody else waits', async () => {
    const { cache, venue, at } = openFixture()
    await cache.serve(KEY, LIFETIME, venue.load)
    venue.fails = new Failure('upstream_timeout')
    at(20)
    await cache.serve(KEY, LIFETIME, venue.load)
    expect((await cache.serve(KEY, LIFETIME, venue.load)).state).toBe('stale')
    expect(venue.calls).toBe(2)

    at(30)
    const release = venue.hold()
    const scout = cache.serve(KEY, LIFETIME, venue.load)
    expect((await cache.serve(KEY, LIFETIME, venue.load)).state).toBe('stale')
    expect(venue.calls).toBe(3)
    venue.fails = undefined
    release()
    expect((await scout).state).toBe('miss')
  })
})

describe('the store behind the memory', () => {
  test('makes a restart warm: a fresh answer is not loaded again', async () => {
    const { cache, restart, venue, at } = openFixture()
    const first = await cache.serve(KEY, LIFETIME, venue.load)
    at(3)
    const next = restart()
    expect(next.peek(KEY, LIFETIME)).toBeNull()
    const served = await next.serve(KEY, LIFETIME, venue.load)
    expect(served).toMatchObject({ state: 'hit', ageSeconds: 3 })
    expect(served.reply.etag).toBe(first.reply.etag)
    expect(next.peek(KEY, LIFETIME)).toMatchObject({ state: 'hit' })
    expect(venue.calls).toBe(1)
  })

  test('bridges an outage that began before the restart', async () => {
    const { cache, restart, venue, at } = openFixture()
    await cache.serve(KEY, LIFETIME, venue.load)
    venue.fails = new Failure('upstream_unavailable')
    at(30)
    expect(await restart().serve(KEY, LIFETIME, venue.load)).toMatchObject({
      state: 'stale',
      ageSeconds: 30,
    })
  })

  test('that fails costs a log line and no answer', async () => {
    const broken: Pick<Store['responses'], 'get' | 'put' | 'clear'> = {
      get: async () => {
        throw new Error('disk I/O error')
      },
      put: async () => {
        throw new Error('disk full')
      },
      clear: async () => {
        throw new Error('disk full')
      },
    }
    const { cache, venue, lines } = openFixture(1_000_000, broken)
    expect((await cache.serve(KEY, LIFETIME, venue.load)).state).toBe('miss')
    await expect(cache.purge()).rejects.toThrow('disk full')
    expect(cache.peek(KEY, LIFETIME)).not.toBeNull()
    expect(lines.map(({ event }) => event)).toEqual([
      'cache.store_unreadable',
      'cache.store_unwritable',
    ])
    expect(JSON.stringify(lines)).not.toContain('PERP_BTC_USDC')
    expect(JSON.stringify(lines)).not.toContain('disk')
  })

  test('serves what has no room in memory', async () => {
    const { cache, venue } = openFixture(10)
    await cache.serve(KEY, LIFETIME, venue.load)
    expect(cache.peek(KEY, LIFETIME)).toBeNull()
    expect((await cache.serve(KEY, LIFETIME, venue.load)).state).toBe('hit')
    expect(venue.calls).toBe(1)
  })
})
