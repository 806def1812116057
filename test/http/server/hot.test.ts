import { describe, expect, test } from 'bun:test'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
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

const CODINGS = {
  identity: (bytes: Uint8Array) => bytes,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
}

/** A text of hexadecimal digits without repetitions: the hashes of the numbers from 0 on. */
function noise(length: number): string {
  let text = ''
  for (let at = 0; text.length < length; at += 1) text += Bun.hash(String(at)).toString(16)
  return text.slice(0, length)
}

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
  const ask = (path: string, headers = {}) =>
    hot.get(path)?.(new Request(`http://localhost${path}`, { headers }), CALLER, 'id-1')
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

  test.each([
    ['a short text', 'a'],
    ['a short text with other characters than ASCII', 'ä€😀'],
    ['a long text', 'b'.repeat(40_000)],
    ['a long text with other characters than ASCII', 'ä€😀'.repeat(10_000)],
    ['a long text that compresses badly', noise(20_000)],
  ])('answer %s byte for byte, also compressed', async (_, text) => {
    for (const [coding, unpack] of Object.entries(CODINGS)) {
      const { cache, ask } = openHotReads()
      await cache.serve('route:config', LIFETIME, async () => replyOf(text))
      const response = ask('/api/prep/config', { 'accept-encoding': coding })
      const used = response?.headers.get('content-encoding') ?? 'identity'
      const bytes = (await response?.bytes()) ?? new Uint8Array()
      expect(used).toBe(text.length < 1000 ? 'identity' : coding)
      const body = used === coding ? unpack(bytes) : bytes
      expect(Buffer.from(body).equals(Buffer.from(JSON.stringify({ value: text })))).toBe(true)
    }
  })

  test('are charged only when they answer', async () => {
    const { cache, ask } = openHotReads()
    for (let asked = 0; asked < 5; asked += 1) expect(ask('/api/prep/config')).toBeNull()
    await cache.serve('route:config', LIFETIME, async () => replyOf(1))
    expect(ask('/api/prep/config')?.status).toBe(200)
    expect(() => ask('/api/prep/config')).toThrow(RateLimited)
  })
})
