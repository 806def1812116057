import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isObject } from '../../../src/core/json.ts'
import { decodeEntity, encodeEntity } from '../../../src/venue/exchange/entity-json.ts'
import { createJournal } from '../../../src/venue/exchange/journal.ts'
import { loadEntities } from '../../../src/venue/exchange/restore.ts'
import UNTAGGED from '../../vectors/venue-entities-untagged.json'
import { readAll } from '../account-reads.ts'
import { BTC, d, ETH } from '../market/small-feed.ts'
import { type Desk, openDesk } from '../trading-desk.ts'
import { registration, secretOf } from '../trading-wallet.ts'

/** Every bigint that an entity had before versions. */
// biome-ignore format: a list of names
const AMOUNTS = [
  'accruedFunding', 'amount', 'averageOpen', 'closedQuantity', 'closedValue', 'cost', 'executed', 'executedValue',
  'fee', 'fees', 'funding', 'holding', 'lastSumUnitary', 'mark', 'maxQuantity', 'price', 'quantity', 'rate',
  'realizedPnl', 'tradingFee', 'visible', 'volume',
]

const COUNTERS = { sequence: 0, advancedAtMs: 0 }

/** Only entities from before versions are read by the names of their fields. */
function neverUntagged(): never {
  throw new Error('read as an entity without a version')
}

/** The fields of everything within a value, however deep: their names and what they are. */
function fieldsOf(value: unknown): [string, unknown][] {
  if (value instanceof Map) return fieldsOf([...value.values()])
  if (Array.isArray(value)) return value.flatMap(fieldsOf)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, field]) => [
    [name, field] satisfies [string, unknown],
    ...fieldsOf(field),
  ])
}

/** A venue on a file from before bigints were tagged, at the time it was left, and the accounts in it. */
async function openUntagged() {
  const desk = openDesk({ stored: UNTAGGED.rows })
  const traders = {
    a: await desk.trader('a'),
    b: await desk.trader('b'),
    c: await desk.trader('c'),
  }
  desk.sleep(UNTAGGED.openedAtMs - desk.nowMs())
  const readings = async () => ({
    a: await readAll(traders.a),
    b: await readAll(traders.b),
    c: await readAll(traders.c),
  })
  return { desk, traders, readings }
}

function versionsOf(desk: Desk, kind: string): unknown[] {
  return [...desk.store().entities.load(kind)].map(({ json }) => JSON.parse(json).v)
}

describe('a file from before bigints were tagged', () => {
  test('answers everything as it was left', async () => {
    const { desk, readings } = await openUntagged()
    using _ = desk
    expect(await readings()).toEqual(UNTAGGED.reads)
    expect(desk.book(BTC).asks[0]).toEqual({ price: d('60001'), quantity: d('0.8667') })
    expect(desk.book(ETH).bids[0]).toEqual({ price: d('2999'), quantity: d('9.223') })
    expect(desk.faults).toEqual([])
  })

  test('has all its amounts as numbers, and its digits in text as text', async () => {
    using desk = openDesk({ stored: UNTAGGED.rows })
    const { accounts, consumed } = loadEntities(desk.store().entities, COUNTERS)
    const fields = fieldsOf([[...accounts.values()], [...consumed.values()]])
    const namesOf = (type: 'bigint' | 'string') => {
      const names = fields.filter(([, value]) => typeof value === type).map(([name]) => name)
      return [...new Set(names)].sort()
    }
    expect(namesOf('bigint')).toEqual(AMOUNTS)
    expect(namesOf('string').filter((name) => AMOUNTS.includes(name))).toEqual([])
    expect(fields).toContainEqual(['clientOrderId', '1000'])
    expect(fields).toContainEqual(['orderTag', '250'])
  })

  test('keeps its nonces and its numbers, so nothing is given twice', async () => {
    const { desk, traders } = await openUntagged()
    using _ = desk
    const known = UNTAGGED.rows.flatMap(({ json }) => JSON.parse(json).id ?? [])
    const { data } = await traders.c.order()
    expect(data.order_id).toBeGreaterThan(Math.max(...known))
    const spent = registration(secretOf('newcomer'), UNTAGGED.nonce, desk.nowMs())
    expect((await desk.send(spent)).status).toBe(200)
  })

  test('is tagged entity by entity as they change, and both are read after a restart', async () => {
    const { desk, traders, readings } = await openUntagged()
    using _ = desk
    await traders.b.order({ order_type: 'MARKET', order_price: null, order_quantity: 0.01 })
    const before = await readings()
    expect(before.b).not.toEqual(UNTAGGED.reads.b)
    expect(new Set(versionsOf(desk, 'order'))).toEqual(new Set([undefined, 2]))
    desk.restart()
    expect(await readings()).toEqual(before)
    expect(desk.faults).toEqual([])
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
    const profile = { accountId: '0xa', holding: 7n, insurance: 90_071_992_547_409_931n }
    const transfer = { id: 1, accountId: '0xa', txId: '5', parts: [{ bonus: -3n, note: '3' }] }
    journal.put('account', '0xa', profile)
    journal.put('transfer', 1, transfer)
    journal.flush()
    const account = loadEntities(entities, COUNTERS).accounts.get('0xa')
    expect<unknown>(account?.profile).toEqual(profile)
    expect<unknown>(account?.transfers).toEqual([transfer])
  })

  test('of a later version is refused, never read as something else', () => {
    expect(() => decodeEntity('{"v":3,"entity":{"holding":"1"}}', neverUntagged)).toThrow(
      'stored entity of version 3, this one knows 2',
    )
  })
})
