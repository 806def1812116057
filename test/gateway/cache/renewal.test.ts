import { describe, expect, test } from 'bun:test'
import { Failure } from '../../../src/core/failure.ts'
import { BOUNDED, KEY, openFixture, settle, textOf } from './fixture.ts'

describe('the last fifth of a lifetime', () => {
  test('is answered at once, whoever asks, while one renewal runs behind it', async () => {
    const { cache, venue, at } = openFixture()
    await cache.serve(KEY, BOUNDED, venue.load)
    at(3.9)
    expect((await cache.serve(KEY, BOUNDED, venue.load)).state).toBe('hit')
    expect(venue.calls).toBe(1)
    at(4)
    // Whoever has no load at hand leaves it to one who has.
    expect(cache.peek(KEY, BOUNDED)).toBeNull()
    expect(cache.recall(KEY, BOUNDED)).toMatchObject({ state: 'hit', ageSeconds: 4 })
    const release = venue.hold()
    for (let n = 0; n < 10; n += 1) {
      const hit = await cache.serve(KEY, BOUNDED, venue.load)
      expect(hit).toMatchObject({ state: 'hit', ageSeconds: 4 })
      expect(cache.peek(KEY, BOUNDED)).toEqual(hit)
    }
    expect(venue.calls).toBe(2)
    release()
    await settle()
    expect(cache.peek(KEY, BOUNDED)).toMatchObject({ state: 'hit', ageSeconds: 0 })
  })

  test('is renewed before the answer where time passes only in calls', async () => {
    const { stepped: cache, venue, at } = openFixture()
    await cache.serve(KEY, BOUNDED, venue.load)
    at(3.9)
    expect((await cache.serve(KEY, BOUNDED, venue.load)).state).toBe('hit')
    at(4)
    expect(cache.peek(KEY, BOUNDED)).toBeNull()
    const renewed = await cache.serve(KEY, BOUNDED, venue.load)
    expect([textOf(renewed), renewed.state, venue.calls]).toEqual(['{"value":2}', 'miss', 2])
    at(8)
    venue.fails = new Failure('upstream_unavailable')
    expect(await cache.serve(KEY, BOUNDED, venue.load)).toMatchObject({ state: 'stale' })
    expect(venue.calls).toBe(3)
  })

  test('of a venue that is slow ends in waiting for that renewal, not in an old answer', async () => {
    const { cache, venue, at } = openFixture()
    await cache.serve(KEY, BOUNDED, venue.load)
    at(4)
    const release = venue.hold()
    await cache.serve(KEY, BOUNDED, venue.load)
    at(5)
    expect(cache.peek(KEY, BOUNDED)).toBeNull()
    expect(cache.recall(KEY, BOUNDED)).toBeNull()
    const waiting = [1, 2, 3].map(() => cache.serve(KEY, BOUNDED, venue.load))
    release()
    expect((await Promise.all(waiting)).map(textOf)).toEqual(Array(3).fill('{"value":2}'))
    expect(venue.calls).toBe(2)
  })

  test('of a venue that fails costs no answer, and is not tried again at once', async () => {
    const { cache, venue, at } = openFixture()
    await cache.serve(KEY, BOUNDED, venue.load)
    venue.fails = new Failure('not_found')
    at(4)
    for (let n = 0; n < 10; n += 1) {
      expect(await cache.serve(KEY, BOUNDED, venue.load)).toMatchObject({ state: 'hit' })
      await settle()
      expect(cache.peek(KEY, BOUNDED)).toMatchObject({ state: 'hit' })
    }
    expect(venue.calls).toBe(2)
    at(5)
    await expect(cache.serve(KEY, BOUNDED, venue.load)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('is renewed once a lifetime under steady traffic, and nobody waits', async () => {
    const { cache, venue, at } = openFixture()
    await cache.serve(KEY, BOUNDED, venue.load)
    for (let tenths = 1; tenths <= 400; tenths += 1) {
      at(tenths / 10)
      expect((await cache.serve(KEY, BOUNDED, venue.load)).state).toBe('hit')
      await settle()
    }
    expect(venue.calls).toBe(11)
  })
})

test('a slow poller never gets what is older than the lifetime while the venue answers', async () => {
  const { cache, venue, at } = openFixture()
  for (let polls = 0; polls < 20; polls += 1) {
    at(polls * 6)
    const served = await cache.serve(KEY, BOUNDED, venue.load)
    expect([served.state, served.ageSeconds, textOf(served)]).toEqual([
      'miss',
      0,
      `{"value":${polls + 1}}`,
    ])
  }
})
