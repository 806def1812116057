import { describe, expect, test } from 'bun:test'
import { Failure } from '../../../src/core/failure.ts'
import { cacheHeaders } from '../../../src/gateway/cache/cache.ts'
import { withChecksum } from '../../../src/gateway/cache/checksum.ts'
import type { Reply } from '../../../src/gateway/scrub/reply.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import {
  FRESH_ONLY,
  KEY,
  LIFETIME,
  openFixture,
  replyOf,
  START_MS,
  settle,
  textOf,
} from './fixture.ts'

describe('an answer', () => {
  test('is loaded once and then comes out of memory while it is fresh', async () => {
    const { cache, venue, at } = openFixture()
    expect(cache.peek(KEY, LIFETIME)).toBeNull()
    const first = await cache.serve(KEY, LIFETIME, venue.load)
    expect(first).toMatchObject({ state: 'miss', ageSeconds: 0 })
    at(3.9)
    expect(cache.peek(KEY, LIFETIME)).toEqual({ reply: first.reply, ageSeconds: 3, state: 'hit' })
    expect((await cache.serve(KEY, LIFETIME, venue.load)).reply).toBe(first.reply)
    expect(venue.calls).toBe(1)
  })

  test('asked for all the time is what it is to whoever asks for it first', async () => {
    const shorter = { ...LIFETIME, freshSeconds: 2 }
    const steady = openFixture()
    await steady.cache.serve(KEY, LIFETIME, steady.venue.load)
    for (const seconds of [0, 0.4, 0.999, 1, 1.599, 1.6, 1.7, 0.5, 3.9, 3.999, 4, 4.5, 2]) {
      for (const lifetime of [LIFETIME, shorter, LIFETIME]) {
        const first = openFixture()
        await first.cache.serve(KEY, LIFETIME, first.venue.load)
        for (const { at } of [steady, first]) at(seconds)
        const [known, found] = [steady, first].map(({ cache }) => cache.peek(KEY, lifetime))
        expect(known?.ageSeconds).toBe(found?.ageSeconds)
        expect(known?.state).toBe(found?.state)
      }
    }
  })

  test('is loaded again when it is past use', async () => {
    const { cache, venue, at } = openFixture()
    await cache.serve(KEY, FRESH_ONLY, venue.load)
    at(5)
    expect(cache.peek(KEY, FRESH_ONLY)).toBeNull()
    const second = await cache.serve(KEY, FRESH_ONLY, venue.load)
    expect(second.state).toBe('miss')
    expect(textOf(second)).toBe('{"value":2}')
  })

  test('that was purged is gone from memory and store, also after a restart', async () => {
    const { cache, venue, restart } = openFixture()
    await cache.serve(KEY, LIFETIME, venue.load)
    await cache.purge()
    expect(cache.peek(KEY, LIFETIME)).toBeNull()
    expect(await restart().serve(KEY, LIFETIME, venue.load)).toMatchObject({ state: 'miss' })
    expect(venue.calls).toBe(2)
  })

  test('that was being read when all were purged is not served', async () => {
    const { responses } = openSqlite(':memory:', 0)
    const read = Promise.withResolvers<void>()
    const get = async (key: string) => {
      const stored = await responses.get(key)
      await read.promise
      return stored
    }
    const { cache, venue } = openFixture(1_000_000, { ...responses, get })
    const stored = { bytes: replyOf(9).bytes, fetchedAtMs: START_MS }
    const put = responses.put(KEY, withChecksum(KEY, stored), START_MS + 60_000)
    // What waits to be written together is written for a list.
    await Promise.all([put, responses.list('', 1)])
    const reading = cache.serve(KEY, LIFETIME, venue.load)
    await cache.purge()
    read.resolve()
    expect(await reading).toMatchObject({ state: 'miss' })
    expect(venue.calls).toBe(1)
  })

  test('of one key is never that of another', async () => {
    const { cache, venue } = openFixture()
    await cache.serve('op:a', LIFETIME, venue.load)
    expect(cache.peek('op:b', LIFETIME)).toBeNull()
    expect(textOf(await cache.serve('op:b', LIFETIME, venue.load))).toBe('{"value":2}')
  })

  test('that is never fresh is a mistake of ours, and nothing is loaded', async () => {
    const { cache, venue } = openFixture()
    const never = { ...LIFETIME, freshSeconds: 0 }
    await expect(cache.serve(KEY, never, venue.load)).rejects.toThrow(RangeError)
    expect(venue.calls).toBe(0)
  })

  test('is as fresh as the clock allows when the clock goes back, and no fresher', async () => {
    const { cache, venue, at } = openFixture()
    await cache.serve(KEY, FRESH_ONLY, venue.load)
    at(-3600)
    expect(cache.peek(KEY, FRESH_ONLY)).toMatchObject({ ageSeconds: 0 })
    at(-3595)
    expect(cache.peek(KEY, FRESH_ONLY)).toBeNull()
  })
})

describe('many callers at once', () => {
  test('cause one load and share its answer', async () => {
    const { cache, venue } = openFixture()
    const release = venue.hold()
    const waiting = Array.from({ length: 1000 }, () => cache.serve(KEY, LIFETIME, venue.load))
    await settle()
    expect(venue.calls).toBe(1)
    release()
    const answers = await Promise.all(waiting)
    expect(new Set(answers.map(({ reply }) => reply)).size).toBe(1)
    expect(venue.calls).toBe(1)
  })

  test('share its failure, which is not kept', async () => {
    const { cache, venue, store } = openFixture()
    venue.fails = new Failure('not_found')
    const results = await Promise.allSettled(
      [1, 2, 3].map(() => cache.serve(KEY, LIFETIME, venue.load)),
    )
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(venue.calls).toBe(1)
    expect(await store.get(KEY)).toBeNull()
    venue.fails = undefined
    expect((await cache.serve(KEY, LIFETIME, venue.load)).state).toBe('miss')
  })

  test('wait no longer than they said, and the load goes on for the others', async () => {
    const { cache, venue } = openFixture()
    const release = venue.hold()
    const leader = cache.serve(KEY, LIFETIME, venue.load)
    const hasty = cache.serve(KEY, LIFETIME, venue.load, 1)
    await expect(hasty).rejects.toMatchObject({ code: 'upstream_timeout' })
    release()
    expect(textOf(await leader)).toBe('{"value":1}')
    expect(cache.peek(KEY, LIFETIME)).not.toBeNull()
    expect(venue.calls).toBe(1)
  })

  test('wait no longer than the cache has them wait, and the one who loads is not hurried', async () => {
    const { cache, venue } = openFixture(undefined, undefined, 1)
    const release = venue.hold()
    const leader = cache.serve(KEY, LIFETIME, venue.load, 1)
    const follower = cache.serve(KEY, LIFETIME, venue.load)
    await expect(follower).rejects.toMatchObject({ code: 'upstream_timeout' })
    release()
    expect(textOf(await leader)).toBe('{"value":1}')
    expect(venue.calls).toBe(1)
  })

  test('do not fail because the one who led hung up', async () => {
    const { cache, venue } = openFixture()
    const hangUp = Promise.withResolvers<Reply>()
    const leader = cache.serve(KEY, LIFETIME, () => hangUp.promise)
    const followers = [1, 2, 3].map(() => cache.serve(KEY, LIFETIME, venue.load))
    hangUp.reject(new DOMException('gone', 'AbortError'))
    await expect(leader).rejects.toMatchObject({ name: 'AbortError' })
    const answers = await Promise.all(followers)
    expect(answers.map(textOf)).toEqual(['{"value":1}', '{"value":1}', '{"value":1}'])
    expect(venue.calls).toBe(1)
  })
})

describe('the caching headers', () => {
  const reply = replyOf(1)
  test('of a hit say how much longer it is fresh', () => {
    expect(cacheHeaders({ reply, ageSeconds: 2, state: 'hit' }, LIFETIME)).toEqual({
      'cache-control': 'public, max-age=5, stale-while-revalidate=10, stale-if-error=60',
      age: '2',
      'cache-status': 'prepd; hit; ttl=3',
    })
  })

  test('of a stale answer say for how long it has not been', () => {
    expect(cacheHeaders({ reply, ageSeconds: 12, state: 'stale' }, LIFETIME)).toMatchObject({
      age: '12',
      'cache-status': 'prepd; hit; ttl=-7',
    })
  })

  test('of a miss say that it was fetched; periods of no length are not named', () => {
    expect(cacheHeaders({ reply, ageSeconds: 0, state: 'miss' }, FRESH_ONLY)).toEqual({
      'cache-control': 'public, max-age=5',
      age: '0',
      'cache-status': 'prepd; fwd=miss; stored',
    })
  })

  test('name periods of a second', () => {
    const lifetime = { freshSeconds: 1, staleWhileRevalidateSeconds: 1, staleIfErrorSeconds: 1 }
    expect(cacheHeaders({ reply, ageSeconds: 0, state: 'hit' }, lifetime)).toMatchObject({
      'cache-control': 'public, max-age=1, stale-while-revalidate=1, stale-if-error=1',
    })
  })
})
