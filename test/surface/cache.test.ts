import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type AnswerSpec, startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'
import { openStill } from './clocked-target.ts'
import { recordedAnswer } from './recorded-venue.ts'
import { temporaryFolder } from './spawned.ts'

const LONG_ROWS = Array.from({ length: 200 }, (_, at) => ({
  symbol: `PERP_A${at}_USDC`,
  last_price: at,
}))
const LONG: AnswerSpec = { json: { success: true, timestamp: 1, data: { rows: LONG_ROWS } } }

/** Routes that may be kept, and for how long; the last ones by the specification, the others by prepd's choice. */
const KEPT: readonly { path: string; control: string }[] = [
  {
    path: '/api/prep/catalogue',
    control: 'public, max-age=300, stale-while-revalidate=3600, stale-if-error=3600',
  },
  { path: '/api/prep/markets', control: 'public, max-age=5, stale-if-error=60' },
  { path: '/api/prep/market-rules', control: 'public, max-age=3600, stale-if-error=3600' },
  { path: '/api/prep/config', control: 'public, max-age=3600, stale-if-error=3600' },
  { path: '/api/prep/tokens', control: 'public, max-age=3600, stale-if-error=3600' },
  { path: '/api/prep/op/markets.priceChanges', control: 'public, max-age=15, stale-if-error=150' },
  {
    path: '/api/prep/op/charts.symbols?group=x',
    control: 'public, max-age=3600, stale-if-error=3600',
  },
  { path: '/api/prep/leaderboard?window=7d', control: 'public, max-age=60, stale-if-error=600' },
]

const NEVER_KEPT: readonly string[] = [
  '/api/prep/orderbook?symbol=PERP_BTC_USDC',
  '/api/prep/trades?symbol=PERP_BTC_USDC',
  '/api/prep/registration-nonce',
  '/api/prep/op/vault.strategyNonce',
  '/api/prep/op/markets.trades?symbol=PERP_BTC_USDC',
  '/api/prep/op/account.existsByAccountId?account_id=0x1',
]

describe.each([...USUAL_KINDS])('the cache, %s', (kind) => {
  let answer: (request: Parameters<typeof recordedAnswer>[0]) => AnswerSpec = recordedAnswer
  let venue: Awaited<ReturnType<typeof startRecordingUpstream>>
  let target: Target

  beforeAll(async () => {
    venue = await startRecordingUpstream((request) => answer(request))
    target = await openStill(kind, { VENUE: venue.url })
  })
  afterAll(async () => {
    await target.stop()
    await venue.stop()
  })
  beforeEach(() => {
    answer = recordedAnswer
  })

  /** What a call sends to the venue, counted. */
  async function sending<T>(call: () => Promise<T>) {
    const before = venue.requests.length
    const result = await call()
    return { result, sent: venue.requests.length - before }
  }
  // Undecoded: the bytes as they came over the wire.
  const raw = (path: string, headers: Record<string, string> = {}) => {
    const init = { headers: { 'accept-encoding': 'identity', ...headers }, decompress: false }
    return target.fetch(path, init)
  }

  test('a thousand misses at once arrive once and get one answer', async () => {
    answer = (request) => ({ ...Object(recordedAnswer(request)), delayMs: 50 })
    const path = '/api/prep/op/markets.indexSources'
    const { result, sent } = await sending(() =>
      Promise.all(Array.from({ length: 1000 }, async () => (await target.fetch(path)).text())),
    )
    expect(new Set(result).size).toBe(1)
    expect(result[0]).toStartWith('{"rows":[')
    expect(sent).toBe(1)
  })

  test('a thousand misses of a named route arrive once', async () => {
    answer = (request) => ({ ...Object(recordedAnswer(request)), delayMs: 50 })
    const path = '/api/prep/market-rules'
    const { result, sent } = await sending(() =>
      Promise.all(Array.from({ length: 1000 }, async () => (await target.fetch(path)).status)),
    )
    expect(new Set(result)).toEqual(new Set([200]))
    expect(sent).toBe(1)
  })

  test.each([...KEPT])('$path is kept and says so', async ({ path, control }) => {
    const first = await raw(path)
    expect(first.headers.get('cache-control')).toBe(control)
    const { result: second, sent } = await sending(() => raw(path))
    expect(sent).toBe(0)
    expect(second.headers.get('age')).toMatch(/^\d+$/)
    expect(second.headers.get('cache-status')).toMatch(/^prepd; hit; ttl=-?\d+$/)
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
    const text = await second.text()
    if (text.length >= 1024) expect(second.headers.get('etag')).toMatch(/^"[^"]+"$/)
    else expect(second.headers.get('etag')).toBeNull()
    expect(text).toBe(await first.text())
  })

  test.each(['/api/prep/config', '/api/prep/op/markets.priceChanges'])(
    '%s is short: it has no tag and is sent whole, whatever the caller has',
    async (path) => {
      const plain = await (await raw(path)).text()
      expect(plain.length).toBeLessThan(1024)
      for (const tag of ['*', `"${Bun.hash(plain).toString(36)}"`]) {
        const response = await raw(path, { 'if-none-match': tag })
        expect([response.status, response.headers.get('etag')]).toEqual([200, null])
        expect(await response.text()).toBe(plain)
      }
    },
  )

  test('an answer just loaded says that it was missed, and a second read that it was not', async () => {
    const path = '/api/prep/op/rewards.stages?stage_id=77'
    expect((await raw(path)).headers.get('cache-status')).toBe('prepd; fwd=miss; stored')
    expect((await raw(path)).headers.get('cache-status')).toStartWith('prepd; hit; ')
  })

  test('the order of parameters, unlisted ones and the operator’s do not make another answer', async () => {
    const path = '/api/prep/op/funding.history'
    await target.fetch(`${path}?symbol=PERP_BTC_USDC&page=2&size=5`)
    const same = [
      'size=5&page=2&symbol=PERP_BTC_USDC',
      'symbol=PERP_BTC_USDC&page=2&colour=red&size=5',
    ]
    for (const query of same) {
      expect((await sending(() => target.fetch(`${path}?${query}`))).sent).toBe(0)
    }
    expect(
      (await sending(() => target.fetch(`${path}?symbol=PERP_BTC_USDC&page=3&size=5`))).sent,
    ).toBe(1)
  })

  test.each([...NEVER_KEPT])('%s is asked for every time', async (path) => {
    const { result, sent } = await sending(async () => [await raw(path), await raw(path)])
    expect(sent).toBe(2)
    for (const { status, headers } of result) {
      expect(status).toBe(200)
      expect(headers.get('cache-control')).toBe('no-store')
      for (const name of ['etag', 'age', 'cache-status']) expect(headers.get(name)).toBeNull()
    }
  })

  test('the order book is never shared by callers at the same moment', async () => {
    const path = '/api/prep/orderbook?symbol=PERP_BTC_USDC'
    expect((await sending(() => Promise.all([raw(path), raw(path), raw(path)]))).sent).toBe(3)
  })

  test('whoever has the bytes is told so, in whichever encoding and list they name the tag', async () => {
    answer = () => LONG
    // Of an hour: an answer that is renewed meanwhile would have another tag.
    const path = '/api/prep/op/charts.symbols?group=long'
    const plain = (await raw(path)).headers.get('etag') ?? ''
    const zipped = (await raw(path, { 'accept-encoding': 'gzip' })).headers.get('etag') ?? ''
    for (const tag of [plain, zipped, `W/${plain}`, `"other", ${plain}`, '*']) {
      const response = await raw(path, { 'if-none-match': tag })
      expect(response.status).toBe(304)
      expect(await response.text()).toBe('')
      expect(response.headers.get('etag')).toBe(plain)
      expect(response.headers.get('cache-control')).toStartWith('public, ')
    }
    expect((await raw(path, { 'if-none-match': '"other"' })).status).toBe(200)
  })

  test.each(['/api/prep/op/funding.marketHistory', '/api/prep/market-rules'])(
    '%s is packed for those who can unpack it, under a tag of its own',
    async (path) => {
      const isLong = path.includes('marketHistory')
      if (isLong) answer = () => LONG
      const plain = await raw(path)
      const zipped = await raw(path, { 'accept-encoding': 'br;q=0.5, gzip;q=0.9' })
      expect(plain.headers.get('content-encoding')).toBeNull()
      expect(zipped.headers.get('content-encoding')).toBe('gzip')
      for (const { headers } of [plain, zipped])
        expect(headers.get('vary')).toContain('accept-encoding')
      expect(zipped.headers.get('etag')).not.toBe(plain.headers.get('etag'))
      const bytes = new Uint8Array(await zipped.arrayBuffer())
      expect(gunzipSync(bytes).toString()).toBe(await plain.text())
      const refusing = await raw(path, { 'accept-encoding': 'gzip;q=0' })
      expect(refusing.headers.get('content-encoding')).toBeNull()
    },
  )

  test('what failed is asked for again', async () => {
    const path = '/api/prep/op/campaigns.stats?campaign_id=9'
    answer = () => 'close'
    const failed = await sending(() => raw(path))
    expect(failed.result.status).toBe(502)
    expect(failed.result.headers.get('cache-control')).toBe('no-store')
    answer = recordedAnswer
    expect((await sending(() => raw(path))).result.status).toBe(200)
  })

  test('a refusal of the venue is asked for again', async () => {
    const path = '/api/prep/op/referral.verify?referral_code=NOPE'
    answer = () => ({ status: 400, json: { success: false, code: -1006, message: 'x' } })
    expect((await raw(path)).status).toBe(404)
    expect((await sending(() => raw(path))).sent).toBe(1)
  })

  test('a restart is warm, and an answer is as old as it is', async () => {
    using folder = temporaryFolder()
    const settings = { VENUE: venue.url, DATA_DIR: join(folder.path, 'data') }
    const first = await openTarget(kind, settings)
    const paths = ['/api/prep/market-rules', '/api/prep/op/markets.leverage']
    const before = await Promise.all(paths.map(async (path) => (await first.fetch(path)).text()))
    await first.stop()
    answer = () => 'close'
    const second = await openTarget(kind, settings)
    const { result, sent } = await sending(() =>
      Promise.all(paths.map(async (path) => (await second.fetch(path)).text())),
    )
    await second.stop()
    expect(result).toEqual(before)
    expect(sent).toBe(0)
  })
})
