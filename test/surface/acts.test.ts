import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ACTS, ACTS_ROOT, type Act } from '../../src/contract/operator/acts.ts'
import { envelope, jsonPost, type TestCaller } from '../caller.ts'
import { openTarget, TARGET_KINDS, type Target } from '../target.ts'
import { newUser } from './wallets.ts'

const KEY = 'the-operator-key-of-the-test-of-acts'
const OLD_KEY = 'the-key-before-of-the-test-of-acts-1'
const ACT_ROWS: readonly (readonly [string, Act])[] = Object.entries(ACTS)
const ORDER = {
  symbol: 'PERP_ETH_USDC',
  order_type: 'LIMIT',
  side: 'BUY',
  order_price: 100,
  order_quantity: 0.2,
}

describe.each([...TARGET_KINDS])('an act of the operator, %s', (kind) => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'prepd-acts-')), 'data')
  const settings = {
    DATA_DIR: dataDir,
    OPS_LISTEN: '127.0.0.1:0',
    OPERATOR_KEY: `${KEY}\n${OLD_KEY}`,
    LIMIT_READ: '600/60s burst 120',
    LIMIT_ADMIN: 'off',
  }
  let target: Target
  let user: TestCaller

  beforeAll(async () => {
    target = await openTarget(kind, settings)
    user = await newUser(target)
  })
  afterAll(async () => {
    await target.stop()
    rmSync(join(dataDir, '..'), { recursive: true })
  })

  type Ask = { key?: string | null; door?: 'ops' | 'fetch'; method?: string; headers?: object }

  async function ask(path: string, fields: Record<string, string> = {}, how: Ask = {}) {
    const { key = KEY, door = 'ops', headers = {} } = how
    const row = ACT_ROWS.find(([, act]) => act.path === path)?.[1]
    const method = how.method ?? row?.method ?? 'GET'
    const query = method === 'GET' ? `?${new URLSearchParams(fields)}` : ''
    const response = await target[door](ACTS_ROOT + path + query, {
      ...(method === 'POST' && jsonPost(fields)),
      method,
      headers: {
        'content-type': 'application/json',
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...headers,
      },
    })
    return { status: response.status, body: Object(await response.json()) }
  }

  const relayed = (caller: TestCaller, call: Parameters<typeof envelope>[1]) =>
    target.fetch('/api/prep/relay', jsonPost(envelope(caller, call)))
  const openOrders = async () => {
    const response = await relayed(user, { method: 'GET', path: '/v1/orders?status=INCOMPLETE' })
    return Object(await response.json()).rows
  }
  const order = (price: number) =>
    relayed(user, {
      method: 'POST',
      path: '/v1/order',
      body: JSON.stringify({ ...ORDER, order_price: price }),
    })
  const recorded = async () => (await ask('audit', { rows: '500' })).body.rows

  test.each(ACT_ROWS)(
    '%s is refused without the key, at both doors, and unrecorded',
    async (_, { path, parameters }) => {
      const before = await recorded()
      const fields = Object.fromEntries(
        Object.entries(parameters).map(([name, { example }]) => [name, example]),
      )
      for (const door of ['ops', 'fetch'] as const) {
        for (const key of [null, 'a guess', `${KEY}x`, `${KEY}\n${OLD_KEY}`]) {
          const { status, body } = await ask(path, fields, { key: key && encodeURI(key), door })
          expect({ path, status, code: body.code }).toEqual({
            path,
            status: 401,
            code: 'unauthorized',
          })
        }
      }
      expect(await recorded()).toEqual(before)
    },
  )

  test('is refused to a page of somebody else, whatever it bears', async () => {
    const headers = { origin: 'https://evil.example' }
    expect((await ask('cache/purge', {}, { headers })).status).toBe(403)
    expect((await ask('cache/purge', {}, { headers, door: 'fetch' })).status).toBe(403)
  })

  test('names a parameter that is missing, off, unknown or given twice', async () => {
    const off = async (path: string, fields: Record<string, string>) =>
      (await ask(path, fields)).body.meta?.parameter
    expect(await off('limits/set', { policy: 'read', key: 'a' })).toBe('limit')
    expect(await off('limits/set', { policy: 'reads', key: 'a', limit: 'off' })).toBe('policy')
    expect(await off('limits/set', { policy: 'read', key: 'a', limit: '0/1s burst 1' })).toBe(
      'limit',
    )
    expect(await off('maintenance/on', { sentence: 'two\nlines' })).toBe('sentence')
    expect(await off('blocks/add', { caller: '1.2.3' })).toBe('caller')
    expect(await off('blocks/add', { caller: '1.2.3.4', why: 'x' })).toBe('why')
    expect(await off('audit', { rows: '501' })).toBe('rows')
    const twice = await target.ops(`${ACTS_ROOT}audit?rows=1&rows=2`, {
      headers: { authorization: `Bearer ${KEY}` },
    })
    expect(Object(await twice.json()).meta.parameter).toBe('rows')
    expect((await ask('status')).body.maintenance).toBeNull()
  })

  test('is asked with its own method and spelling', async () => {
    expect((await ask('cache/purge', {}, { method: 'GET' })).status).toBe(405)
    expect((await ask('status', {}, { method: 'POST' })).status).toBe(405)
    for (const path of ['nothing', 'status/', 'Status', 'cache//purge'])
      expect((await ask(path)).status).toBe(404)
  })

  test('is recorded with the key that asked, and neither key nor its text is', async () => {
    await ask('cache/purge', {}, { key: OLD_KEY })
    await ask('cache/purge')
    const [byNew, byOld] = await recorded()
    expect(byNew).toMatchObject({ act: 'cache/purge', fields: {} })
    expect(byOld).toMatchObject({ act: 'cache/purge' })
    expect(byNew.fingerprint).toMatch(/^[0-9a-f]{16}$/)
    expect(byNew.fingerprint).not.toBe(byOld.fingerprint)
    expect(JSON.stringify(await recorded())).not.toContain('operator-key')
    expect(target.log()).not.toContain(KEY)
  })

  test('closes writes with a sentence: nothing reaches the venue, cancelling and reads go on', async () => {
    const book = Object(
      await (await target.fetch('/api/prep/orderbook?symbol=PERP_ETH_USDC')).json(),
    )
    const price = Math.floor(Number(book.bids[0].price) * 0.98)
    const placed = Object(await (await order(price)).json())
    expect((await openOrders()).length).toBe(1)
    await ask('maintenance/on', { sentence: 'Back at 14:00 UTC.' })
    const refused = await order(price - 1)
    expect({ status: refused.status, ...Object(await refused.json()) }).toMatchObject({
      status: 503,
      code: 'not_available',
      meta: { sentence: 'Back at 14:00 UTC.' },
    })
    const created = await target.fetch('/api/prep/register', jsonPost({}))
    expect(created.status).toBe(503)
    expect((await openOrders()).map((row: { price: number }) => row.price)).toEqual([price])
    const path = `/v1/order?order_id=${placed.order_id}&symbol=PERP_ETH_USDC`
    expect((await relayed(user, { method: 'DELETE', path })).status).toBe(200)
    expect(await openOrders()).toEqual([])
    await ask('maintenance/off')
    expect((await order(price - 2)).status).toBe(200)
  })

  test('blocks an account, and not its neighbour', async () => {
    const other = await newUser(target)
    await ask('blocks/add', { caller: other.accountId.toUpperCase().replace('0X', '0x') })
    const call = { method: 'GET', path: '/v1/orders' } as const
    const refused = await relayed(other, call)
    expect({ status: refused.status, ...Object(await refused.json()) }).toMatchObject({
      status: 403,
      meta: { reason: 'blocked' },
    })
    expect((await relayed(user, call)).status).toBe(200)
    await ask('blocks/remove', { caller: other.accountId })
    expect((await relayed(other, call)).status).toBe(200)
  })

  test('blocks an address, also from what is in memory, and an IPv6 address by its /64', async () => {
    const from = (address: string) =>
      target.fetch('/api/prep/catalogue', { headers: { 'x-forwarded-for': address } })
    await from('198.51.100.7')
    await ask('blocks/add', { caller: '198.51.100.7' })
    await ask('blocks/add', { caller: '2001:db8:1:2::5' })
    expect((await from('198.51.100.7')).status).toBe(403)
    expect((await from('198.51.100.8')).status).toBe(200)
    expect((await from('2001:db8:1:2:ffff::9')).status).toBe(403)
    expect((await from('2001:db8:1:3::9')).status).toBe(200)
    const { body } = await ask('blocks')
    expect(body.rows.map(({ caller }: { caller: string }) => caller)).toEqual([
      '198.51.100.7',
      '2001:db8:1:2::/64',
    ])
    for (const { caller } of body.rows)
      await ask('blocks/remove', { caller: caller.replace('/64', '1') })
    expect((await from('198.51.100.7')).status).toBe(200)
  })

  test('gives one key a limit of its own, shows it, and takes it back with its debt', async () => {
    const from = () =>
      target.fetch('/api/prep/config', { headers: { 'x-forwarded-for': '203.0.113.9' } })
    const window = { policy: 'read', key: '203.0.113.9' }
    await ask('limits/set', { ...window, limit: '1/3600s burst 1' })
    expect((await from()).status).toBe(200)
    expect((await from()).status).toBe(429)
    expect((await ask('limits/show', window)).body).toMatchObject({ isOwn: true, allowed: false })
    const { body } = await ask('limits', { policy: 'read' })
    expect(body.rows).toContainEqual(expect.objectContaining(window))
    await ask('limits/reset', window)
    expect((await ask('limits/show', window)).body).toMatchObject({ isOwn: false, remaining: 120 })
    expect((await from()).status).toBe(200)
  })

  test('lists and shows what is kept, issued and claimed', async () => {
    await target.fetch('/api/prep/markets')
    const { rows } = (await ask('cache')).body
    const key = rows[0].key
    expect((await ask('cache/show', { key })).body).toMatchObject({ key })
    expect((await ask('cache/show', { key: `${key}x` })).status).toBe(404)
    await target.fetch('/api/prep/registration-nonce')
    expect((await ask('nonces')).body.count).toBeGreaterThan(0)
    expect((await ask('nonces/purge')).body.purged).toBeGreaterThan(0)
    expect((await ask('nonces')).body.count).toBe(0)
    const [claim] = (await ask('relayed')).body.rows
    const { identity } = claim
    expect((await ask('relayed/show', { identity })).body).toMatchObject({ identity })
    expect((await ask('relayed/show', { identity: '0'.repeat(64) })).status).toBe(404)
  })

  // Slow: a server stops and starts again.
  test('outlives a restart, as its record does', async () => {
    await ask('blocks/add', { caller: '198.51.100.99' })
    await ask('maintenance/on', { sentence: 'Over a restart.' })
    const before = await recorded()
    await target.stop()
    target = await openTarget(kind, settings)
    expect((await ask('status')).body).toMatchObject({ maintenance: 'Over a restart.' })
    expect(await recorded()).toEqual(before)
    await ask('maintenance/off')
    await ask('blocks/remove', { caller: '198.51.100.99' })
  })
})

test('what is kept is dated by the wall, also where time is virtual', async () => {
  const target = await openTarget('in process', { VENUE_CLOCK: 'virtual', OPERATOR_KEY: KEY })
  await target.fetch('/api/prep/config')
  const headers = { authorization: `Bearer ${KEY}` }
  const { rows } = Object(await (await target.ops(`${ACTS_ROOT}cache`, { headers })).json())
  expect(Math.abs(rows[0].fetchedAtMs - Date.now())).toBeLessThan(600_000)
  await target.stop()
})
