import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'

const UNPACK = {
  gzip: (bytes: Uint8Array) => gunzipSync(bytes).toString(),
  zstd: (bytes: Uint8Array) => Bun.zstdDecompressSync(bytes).toString(),
} as const

/** The bytes as they came over the wire: an option of this runtime alone. */
const UNDECODED: object = { decompress: false }

describe.each([...USUAL_KINDS])('packed answers, %s', (kind) => {
  let target: Target
  beforeAll(async () => {
    target = await openTarget(kind)
  })
  afterAll(async () => {
    await target.stop()
  })

  const raw = (path: string, encoding: string, headers: Record<string, string> = {}) =>
    target.fetch(path, {
      headers: { 'accept-encoding': encoding, ...headers },
      ...UNDECODED,
    })

  test.each([
    ['/api/prep/market-rules', 'gzip'],
    ['/api/prep/market-rules', 'zstd'],
    ['/swagger/json', 'gzip'],
    ['/swagger/json', 'zstd'],
    ['/swagger/streams.json', 'gzip'],
    ['/swagger/streams.json', 'zstd'],
  ] as const)('%s by %s holds the plain bytes', async (path, encoding) => {
    const plain = await raw(path, 'identity')
    const packed = await raw(path, encoding)
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(packed.headers.get('content-encoding')).toBe(encoding)
    for (const { headers } of [plain, packed]) expect(headers.get('vary')).toBe('accept-encoding')
    const bytes = new Uint8Array(await packed.arrayBuffer())
    expect(UNPACK[encoding](bytes)).toBe(await plain.text())
  })

  test.each(['gzip', 'zstd'] as const)('what nobody may keep is packed by %s too', async (way) => {
    const path = '/api/prep/trades?symbol=PERP_ETH_USDC&limit=200'
    const answer = await raw(path, way)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-encoding')).toBe(way)
    expect(answer.headers.get('vary')).toContain('accept-encoding')
    const text = UNPACK[way](new Uint8Array(await answer.arrayBuffer()))
    expect(text.length).toBeGreaterThan(1024)
    expect(JSON.parse(text)).toBeObject()
    expect((await raw(path, 'identity')).headers.get('content-encoding')).toBeNull()
  })

  test.each(['/api/prep/config', '/api/prep/registration-nonce'])(
    '%s is short: plain for everyone, and the same whatever they take',
    async (path) => {
      const { headers } = await raw(path, 'gzip, zstd')
      expect(headers.get('content-encoding')).toBeNull()
      expect(headers.get('vary')).toBeNull()
    },
  )

  test('each encoding has a tag of its own, and any of them says that nothing is new', async () => {
    const path = '/api/prep/market-rules'
    const answers = await Promise.all(['identity', 'gzip', 'zstd'].map((way) => raw(path, way)))
    const tags = answers.map(({ headers }) => headers.get('etag') ?? '')
    expect(new Set(tags).size).toBe(3)
    for (const tag of tags) {
      expect((await raw(path, 'zstd', { 'if-none-match': tag })).status).toBe(304)
    }
    expect((await raw(path, 'zstd', { 'if-none-match': '"other"' })).status).toBe(200)
  })

  test('a query is read though the answer without one is at hand', async () => {
    expect((await target.fetch('/api/prep/config')).status).toBe(200)
    expect((await target.fetch('/api/prep/config?a=1')).status).toBe(200)
    const refused = await target.fetch(`/api/prep/config?a=${'x'.repeat(8192)}`)
    expect([refused.status, Object(await refused.json()).code]).toEqual([400, 'invalid_request'])
    expect((await target.fetch('/api/prep/config', { method: 'POST' })).status).toBe(405)
  })
})
