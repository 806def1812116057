import { afterEach, describe, expect, test } from 'bun:test'
import { failureOf, ORDER, stopSwapUpstreams, swapFixture, wireWith } from '../fixture.ts'

afterEach(stopSwapUpstreams)

describe('the quota is spared', () => {
  test.each([500, 502, 503])('a %d is asked once more', async (status) => {
    let calls = 0
    const { provider, sent } = await swapFixture({
      quote: () => {
        calls += 1
        return calls === 1 ? { status, json: {} } : { json: wireWith('quote', {}) }
      },
    })
    expect((await provider.quote(ORDER)).toAmount).toBe(31500000000000000n)
    expect(sent('quote')).toHaveLength(2)
  })

  test.each([400, 404, 424, 429, 501, 504])('a %d is not', async (status) => {
    const { provider, sent } = await swapFixture({ quote: { status, json: { code: 0 } } })
    await failureOf(provider.quote(ORDER))
    expect(sent('quote')).toHaveLength(1)
  })

  test('after a 429 nothing is sent until its reset, and other calls go on', async () => {
    const { provider, sent, world } = await swapFixture({
      quote: { status: 429, json: { code: 1005 }, headers: { 'ratelimit-reset': '120' } },
    })
    expect(await failureOf(provider.quote(ORDER))).toEqual({
      code: 'upstream_busy',
      retryAfterSeconds: 120,
    })
    world.nowMs += 100_000
    expect(await failureOf(provider.quote(ORDER))).toEqual({
      code: 'upstream_busy',
      retryAfterSeconds: 20,
    })
    expect(sent('quote')).toHaveLength(1)
    expect(await provider.chains()).toHaveLength(4)
    world.nowMs += 20_000
    await failureOf(provider.quote(ORDER))
    expect(sent('quote')).toHaveLength(2)
  })

  test('nothing is sent once the provider has said that nothing remains', async () => {
    const headers = { 'ratelimit-limit': '75', 'ratelimit-remaining': '0', 'ratelimit-reset': '30' }
    const { provider, sent } = await swapFixture({
      quote: { json: wireWith('quote', {}), headers },
    })
    await provider.quote(ORDER)
    expect(await failureOf(provider.quote(ORDER))).toMatchObject({ retryAfterSeconds: 30 })
    expect(sent('quote')).toHaveLength(1)
  })
})
