import { describe, expect, test } from 'bun:test'
import { RateLimited } from '../../../src/gateway/limits/admission.ts'
import { createLimiter } from '../../../src/gateway/limits/limiter.ts'
import { hotReads } from '../../../src/http/server/hot.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { LIFETIME, openFixture, replyOf } from '../../gateway/cache/fixture.ts'

const PATHS = {
  '/api/prep/catalogue': 'route:catalogue',
  '/api/prep/markets': 'route:markets',
  '/api/prep/market-rules': 'route:market-rules',
  '/api/prep/market-sessions': 'route:market-sessions',
  '/api/prep/config': 'route:config',
  '/api/prep/tokens': 'route:tokens',
  '/api/prep/deposit-chains': 'route:deposit-chains',
  '/api/prep/insurance-fund': 'route:insurance-fund',
}

const CALLER = { address: '192.0.2.1', limitKey: '192.0.2.1' }

/** The hot reads over a cache that holds nothing yet, and a window of one request. */
function openHotReads() {
  const { cache } = openFixture()
  const limiter = createLimiter({
    clock: { nowMs: () => 1_700_000_000_000 },
    policies: { read: { requests: 1, seconds: 60, burst: 1 } },
    store: openSqlite(':memory:', 0).windows,
    keysMax: 10,
  })
  const hot = hotReads({ cache, limiter, marks: { 'x-mark': 'kept' }, venueNowMs: null }, '*')
  const ask = (path: string) =>
    hot.get(path)?.(new Request(`http://localhost${path}`), CALLER, 'id-1')
  return { cache, hot, ask }
}

describe('hot reads', () => {
  test('are these paths and no others', () => {
    expect([...openHotReads().hot.keys()]).toEqual(Object.keys(PATHS))
  })

  test.each(Object.entries(PATHS))('%s answers what is kept as %s', async (path, key) => {
    const { cache, ask } = openHotReads()
    expect(ask(path)).toBeNull()
    await cache.serve(key, LIFETIME, async () => replyOf(path))
    const response = ask(path)
    expect(await response?.json()).toEqual({ value: path })
    expect(response?.headers.get('x-mark')).toBe('kept')
    expect(response?.headers.get('x-request-id')).toBe('id-1')
  })

  test('are charged only when they answer', async () => {
    const { cache, ask } = openHotReads()
    for (let asked = 0; asked < 5; asked += 1) expect(ask('/api/prep/config')).toBeNull()
    await cache.serve('route:config', LIFETIME, async () => replyOf(1))
    expect(ask('/api/prep/config')?.status).toBe(200)
    expect(() => ask('/api/prep/config')).toThrow(RateLimited)
  })
})
