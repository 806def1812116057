import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { envelope, jsonPost, newCaller, type TestCall } from '../caller.ts'
import { ACCEPTED, headerOf, startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget, TARGET_KINDS, type Target } from '../target.ts'
import { temporaryFolder } from './spawned.ts'

const GET: TestCall = { method: 'GET', path: '/v1/positions' }
const CANCEL: TestCall = { method: 'DELETE', path: '/v1/order?order_id=1&symbol=PERP_ETH_USDC' }

const REFUSED = { status: 401, json: { success: false, code: -1002, message: 'orderly key error' } }

const NO_SCOPE = {
  status: 401,
  json: { success: false, code: -1002, message: 'orderly key scope not allowed' },
}

/** The path whose calls the venue refuses for want of a scope. */
const SCOPED: TestCall = { method: 'GET', path: '/v1/client/holding' }

/** Keys the venue does not know. */
const strangers = new Set<string>()

let nextAddress = 0

/** An address nobody has called from yet. */
function someAddress(): string {
  nextAddress += 1
  return `198.51.${100 + Math.floor(nextAddress / 250)}.${1 + (nextAddress % 250)}`
}

describe.each([...TARGET_KINDS])('rate limits, %s', (kind) => {
  let upstream: Awaited<ReturnType<typeof startRecordingUpstream>>
  let target: Target

  beforeAll(async () => {
    upstream = await startRecordingUpstream((request) => {
      if (strangers.has(headerOf(request, 'orderly-key') ?? '')) return REFUSED
      return request.target === SCOPED.path ? NO_SCOPE : ACCEPTED
    })
    const settings = {
      VENUE: upstream.url,
      // What is used up does not come back while a test runs.
      LIMIT_READ: '12/3600s burst 4',
      LIMIT_WRITE: '12/3600s burst 2',
      LIMIT_RELAY: '12/3600s burst 4',
      LIMIT_ACCOUNT: '12/3600s burst 3',
      LIMIT_CANCEL: '12/3600s burst 2',
    }
    target = await openTarget(kind, settings)
  })
  afterAll(async () => {
    await target.stop()
    await upstream.stop()
  })

  const get = (path: string, address: string) =>
    target.fetch(path, { headers: { 'x-forwarded-for': address } })
  const relay = (who: ReturnType<typeof newCaller>, call: TestCall, address = someAddress()) =>
    target.fetch('/api/prep/relay', jsonPost(envelope(who, call), address))
  const statuses = async (answers: Promise<Response>[]) =>
    (await Promise.all(answers)).map(({ status }) => status)

  test('a read past the burst is refused with when to come back', async () => {
    const address = someAddress()
    for (let i = 0; i < 4; i++) expect((await get('/api/prep/catalogue', address)).status).toBe(200)
    const refused = await get('/api/prep/catalogue', address)
    expect(refused.status).toBe(429)
    const { code, meta } = Object(await refused.json())
    expect(code).toBe('rate_limited')
    expect(meta.retryAfterSeconds).toBeWithin(200, 301)
    expect(refused.headers.get('retry-after')).toBe(String(meta.retryAfterSeconds))
    expect(refused.headers.get('ratelimit')).toContain('"read"')
    expect(refused.headers.get('ratelimit-policy')).toContain('"read";q=12;w=3600')
  })

  test('one address does not use up the window of another, but an IPv6 network shares one', async () => {
    expect((await get('/api/prep/catalogue', someAddress())).status).toBe(200)
    const network = (host: number) => get('/api/prep/catalogue', `2001:db8:7:7::${host}`)
    for (let host = 1; host <= 4; host++) expect((await network(host)).status).toBe(200)
    expect((await network(5)).status).toBe(429)
    expect((await get('/api/prep/catalogue', '2001:db8:7:8::1')).status).toBe(200)
  })

  test('nonce, typed data, register and trading key share one window', async () => {
    const address = someAddress()
    const before = upstream.requests.length
    await get('/api/prep/registration-nonce', address)
    await target.fetch('/api/prep/typed-data', jsonPost({}, address))
    for (const path of ['/api/prep/typed-data', '/api/prep/register', '/api/prep/trading-key']) {
      expect((await target.fetch(path, jsonPost({}, address))).status).toBe(429)
    }
    expect(upstream.requests.length - before).toBe(1)
  })

  test('the relay is limited by address', async () => {
    const address = someAddress()
    const answers = await statuses([1, 2, 3, 4, 5].map(() => relay(newCaller(), GET, address)))
    expect(answers.filter((status) => status === 429)).toHaveLength(1)
  })

  test('a cancel has a window of its own, so a limited user can still get out', async () => {
    const address = someAddress()
    const who = newCaller()
    for (let i = 0; i < 4; i++) await relay(who, GET, address)
    expect((await relay(who, GET, address)).status).toBe(429)
    expect((await relay(who, CANCEL, address)).status).toBe(200)
  })

  test('an account the venue knows is limited wherever its calls come from', async () => {
    const who = newCaller()
    expect((await relay(who, GET)).status).toBe(200)
    for (let i = 0; i < 3; i++) expect((await relay(who, GET)).status).toBe(200)
    expect((await relay(who, GET)).status).toBe(429)
  })

  /** The same account, written with capitals. */
  const inCapitals = (who: ReturnType<typeof newCaller>) => ({
    ...who,
    accountId: `0x${who.accountId.slice(2).toUpperCase()}`,
  })

  test('an account is one however it is spelt, known to the venue or not', async () => {
    const known = newCaller()
    expect((await relay(known, GET)).status).toBe(200)
    for (const who of [known, inCapitals(known), known])
      expect((await relay(who, GET)).status).toBe(200)
    for (const who of [known, inCapitals(known)]) expect((await relay(who, GET)).status).toBe(429)

    const unknown = newCaller()
    strangers.add(unknown.key)
    const address = someAddress()
    for (const who of [unknown, inCapitals(unknown), unknown])
      expect((await relay(who, GET, address)).status).toBe(401)
    expect((await relay(inCapitals(unknown), GET, address)).status).toBe(429)
  })

  test('a key that lacks a scope is still the account’s, and is limited as such', async () => {
    const who = newCaller()
    expect((await relay(who, GET)).status).toBe(200)
    const refused = await relay(who, SCOPED)
    expect(await refused.json()).toMatchObject({ code: 'unauthorized', meta: { reason: 'scope' } })
    for (let i = 0; i < 2; i++) expect((await relay(who, GET)).status).toBe(200)
    expect((await relay(who, GET)).status).toBe(429)
  })

  test('a key the venue no longer knows is not, and shares the windows of strangers', async () => {
    const who = newCaller()
    expect((await relay(who, GET)).status).toBe(200)
    strangers.add(who.key)
    expect((await relay(who, GET)).status).toBe(401)
    strangers.delete(who.key)
    for (let i = 0; i < 3; i++) expect((await relay(who, GET)).status).toBe(200)
    expect((await relay(who, GET)).status).toBe(429)
  })

  test('a stranger who names an account cannot lock its owner out', async () => {
    const owner = newCaller()
    expect((await relay(owner, GET)).status).toBe(200)
    const stranger = newCaller(owner.accountId)
    strangers.add(stranger.key)
    const refusing = upstream.requests.length
    const attack = await statuses(Array.from({ length: 150 }, () => relay(stranger, GET)))
    expect(attack.filter((status) => status === 429).length).toBeGreaterThan(90)
    expect(upstream.requests.length - refusing).toBeLessThan(60)
    expect((await relay(owner, GET)).status).toBe(200)
  })

  test('one address that names an account does not use up what newcomers to it share', async () => {
    const { accountId } = newCaller()
    const stranger = newCaller(accountId)
    strangers.add(stranger.key)
    const address = someAddress()
    for (let i = 0; i < 4; i++) await relay(stranger, GET, address)
    const newcomers = await statuses(
      Array.from({ length: 12 }, () => relay(newCaller(accountId), GET)),
    )
    expect(newcomers.filter((status) => status === 200).length).toBeGreaterThanOrEqual(9)
  })

  test('nonsense is charged too, and is not charged to the relay window', async () => {
    const address = someAddress()
    const nonsense = () => target.fetch('/api/prep/relay', jsonPost('{', address))
    for (let i = 0; i < 4; i++) expect((await nonsense()).status).toBe(400)
    expect((await nonsense()).status).toBe(429)
    expect((await relay(newCaller(), GET, address)).status).toBe(200)
  })
})

// Slow: a server starts twice.
test.each([...TARGET_KINDS])(
  'a window that was used up is used up after a restart, %s',
  async (kind) => {
    using folder = temporaryFolder()
    const settings = {
      VENUE: 'embedded',
      DATA_DIR: join(folder.path, 'data'),
      LIMIT_READ: '1/3600s burst 2',
    }
    const statuses: number[] = []
    for (let run = 0; run < 2; run += 1) {
      const target = await openTarget(kind, settings)
      for (let i = 0; i < 3; i += 1)
        statuses.push((await target.fetch('/api/prep/catalogue')).status)
      await target.stop()
    }
    expect(statuses).toEqual([200, 200, 429, 429, 429, 429])
  },
)
