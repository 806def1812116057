import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { EntityChange } from '../../../src/core/ports.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { decodeEntity, encodeEntity } from '../../../src/venue/exchange/entity-json.ts'
import { openExchange } from '../../../src/venue/exchange/exchange.ts'
import { createJournal } from '../../../src/venue/exchange/journal.ts'
import { loadEntities } from '../../../src/venue/exchange/restore.ts'
import { readEntities } from '../../../src/venue/exchange/stored.ts'
import UNTAGGED from '../../vectors/venue-entities-untagged.json'
import { readAll } from '../account-reads.ts'
import { smallGenesis } from '../market/small-feed.ts'
import { openDesk } from '../trading-desk.ts'
import { registration, secretOf } from '../trading-wallet.ts'

const COUNTERS = { sequence: 0 }

/** Only entities from before versions are read by the names of their fields. */
function neverUntagged(): never {
  throw new Error('read as an entity without a version')
}

type Reads = Record<string, Record<string, unknown>>

const BEFORE: Readonly<Record<'a' | 'b' | 'c', Reads>> = UNTAGGED.reads

/** A venue on a file from before the engine held balances, at the time it was left, and the accounts in it. */
async function openFormer(stored: readonly EntityChange[]) {
  const desk = openDesk({ stored, genesisMs: UNTAGGED.openedAtMs })
  const traders = {
    a: await desk.trader('a'),
    b: await desk.trader('b'),
    c: await desk.trader('c'),
  }
  const readings = async () => ({
    a: await readAll(traders.a),
    b: await readAll(traders.b),
    c: await readAll(traders.c),
  })
  return { desk, traders, readings }
}

/** Kinds of entities that nothing reads any more. */
const GONE = ['order', 'trade', 'position', 'day', 'funding', 'closed', 'consumed']

/** The same file, written once bigints were tagged. */
function tagged(): EntityChange[] {
  const { entities } = openSqlite(':memory:', 0)
  entities.commit(UNTAGGED.rows)
  const kinds = new Set(UNTAGGED.rows.map(({ kind }) => kind))
  return [...kinds].flatMap((kind) => {
    const read = readEntities<object>(entities, kind)
    return Array.from(entities.load(kind), ({ key, json }, at) => {
      // The program's rates were decimal text then.
      if (kind === 'affiliate') return { kind, key, json }
      const { entity } = JSON.parse(encodeEntity(read[at] ?? {}))
      return { kind, key, json: JSON.stringify({ v: 2, entity }) }
    })
  })
}

describe.each([
  { is: 'before bigints were tagged', stored: UNTAGGED.rows },
  { is: 'since they were', stored: tagged() },
])('a file from before the engine, written $is', ({ stored }) => {
  test('loses no money: each position is settled into the balance at the mark', async () => {
    const { desk, readings } = await openFormer(stored)
    using _ = desk
    for (const [name, reads] of Object.entries(await readings())) {
      const before = BEFORE[name as keyof typeof BEFORE]['/v1/client/info']
      const value = before?.['total_collateral_value']
      expect(reads['/v1/client/holding'].holding[0].holding).toBe(value)
      expect(reads['/v1/client/info'].total_collateral_value).toBe(value)
      expect(reads['/v1/positions'].rows).toEqual([])
      expect(reads['/v1/orders?size=500'].rows).toEqual([])
    }
    expect(desk.faults).toEqual([])
  })

  test('keeps accounts, keys, deposits, volumes and leverages', async () => {
    const { desk, traders, readings } = await openFormer(stored)
    using _ = desk
    for (const [name, reads] of Object.entries(await readings())) {
      const before = BEFORE[name as keyof typeof BEFORE]
      for (const path of ['/v1/asset/history', '/v1/referral/info'])
        expect(reads[path]).toEqual(before[path])
      const { perp_volume_last_1_day: _, ...volumes } = before['/v1/volume/user/stats'] ?? {}
      expect(reads['/v1/volume/user/stats']).toMatchObject(volumes)
      expect(reads['/v1/client/info'].max_leverage).toBe(
        before['/v1/client/info']?.['max_leverage'],
      )
    }
    const bound = UNTAGGED.rows.filter(({ kind }) => kind === 'key').map(({ key }) => key)
    for (const { accountId } of Object.values(traders))
      expect(bound.some((key) => key.startsWith(accountId))).toBe(true)
  })

  test('keeps its nonces and its numbers, so nothing is given twice', async () => {
    const { desk, traders } = await openFormer(stored)
    using _ = desk
    const known = UNTAGGED.rows.flatMap(({ json }) => JSON.parse(json).id ?? [])
    const { data } = await traders.c.order()
    expect(data.order_id).toBeGreaterThan(Math.max(...known))
    const spent = registration(secretOf('newcomer'), UNTAGGED.nonce, desk.nowMs())
    expect((await desk.send(spent)).status).toBe(200)
  })

  test('is taken in once: what was goes, and a restart finds what came of it', async () => {
    const { desk, traders, readings } = await openFormer(stored)
    using _ = desk
    await traders.b.order({ order_type: 'MARKET', order_price: null, order_quantity: 0.01 })
    const before = await readings()
    for (const kind of GONE) expect([...desk.store().entities.load(kind)]).toEqual([])
    desk.restart()
    expect(await readings()).toEqual(before)
    expect(before.b['/v1/positions'].rows).toHaveLength(1)
    expect(desk.faults).toEqual([])
  })

  test('says what of it was kept and what was dropped, once', () => {
    const { entities } = openSqlite(':memory:', 0)
    entities.commit(stored)
    const said: unknown[] = []
    const open = () =>
      openExchange({
        entities,
        genesis: smallGenesis(() => 60_000),
        clock: { nowMs: () => UNTAGGED.openedAtMs },
        formerPrices: () => null,
        imported: (facts) => said.push(facts),
      })
    const first = open()
    expect(said).toEqual([])
    first.floor()
    first.commit()
    const count = (kind: string) => UNTAGGED.rows.filter((row) => row.kind === kind).length
    const statuses = UNTAGGED.rows
      .filter(({ kind }) => kind === 'order')
      .map(({ json }) => Object(JSON.parse(json)).status)
    const openOrders = statuses.filter((status) => status !== 'FILLED').length
    expect(openOrders).toBe(2)
    const facts = {
      accounts: count('account'),
      positionsSettled: count('position'),
      openOrdersDropped: openOrders,
      historyRowsDropped:
        count('order') - openOrders + count('trade') + count('funding') + count('closed'),
    }
    expect(said).toEqual([facts])
    open().floor()
    expect(said).toEqual([facts])
  })

  test('is left as it was by a start that nobody asks anything of', () => {
    const store = openSqlite(':memory:', 0)
    store.entities.commit(stored)
    const exchange = openExchange({
      entities: store.entities,
      genesis: smallGenesis(() => 60_000),
      clock: { nowMs: () => UNTAGGED.openedAtMs },
      formerPrices: () => null,
    })
    exchange.commit()
    const rows = ['account', ...GONE].flatMap((kind) =>
      Array.from(store.entities.load(kind), ({ key, json }) => ({ kind, key, json })),
    )
    expect(rows.length).toBeGreaterThan(20)
    expect(stored).toEqual(expect.arrayContaining(rows))
  })
})

describe('a stored entity', () => {
  const leaf = fc.oneof(
    fc.bigInt(),
    fc.string(),
    fc.constantFrom('123', '-1', '{"$n":"1"}', '$n', '2', 'v'),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  )
  const name = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_]{0,12}$/)
  const entity = fc.dictionary(name, fc.oneof(leaf, fc.array(leaf), fc.dictionary(name, leaf)))

  test('comes back as it was, whatever its fields are called and whatever its text looks like', () => {
    fc.assert(
      fc.property(entity, (value) => {
        expect(decodeEntity<unknown>(encodeEntity(value), neverUntagged)).toEqual({ ...value })
      }),
    )
  })

  test('keeps a bigint field that nobody has listed, through the journal and the store', () => {
    using desk = openDesk()
    const { entities } = desk.store()
    const journal = createJournal(entities, COUNTERS)
    const address = '0xb'
    const profile = { accountId: '0xa', userId: 1, address, brokerId: 'x', createdAtMs: 2 }
    const transfer = { id: 1, accountId: '0xa', txId: '5', parts: [{ bonus: -3n, note: '3' }] }
    journal.put('account', '0xa', profile)
    journal.put('transfer', 1, transfer)
    journal.flush()
    const account = loadEntities(entities, COUNTERS).accounts.get('0xa')
    expect<unknown>(account?.profile).toEqual(profile)
    expect<unknown>(account?.transfers).toEqual([transfer])
  })

  test('of the version before is read', () => {
    const stored = '{"v":2,"entity":{"holding":{"$n":"1"}}}'
    expect(decodeEntity<unknown>(stored, neverUntagged)).toEqual({ holding: 1n })
  })

  test('of a later version is refused, never read as something else', () => {
    expect(() => decodeEntity('{"v":4,"entity":{"holding":"1"}}', neverUntagged)).toThrow(
      'stored entity of version 4, this one knows 3',
    )
  })
})
