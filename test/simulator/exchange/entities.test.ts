import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  createEntityJournal,
  encodeEntity,
  readEntities,
} from '../../../src/simulator/exchange/journal.ts'
import { openVenueFixture } from '../fixture.ts'

function decoded(json: string): unknown {
  const stored = { kinds: () => [], load: () => [{ key: '', json }], commit: () => undefined }
  return readEntities(stored, 'any')[0]
}

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
        expect(decoded(encodeEntity(value))).toEqual({ ...value })
      }),
    )
  })

  test('keeps a bigint field that nobody has listed, through the journal and the store', () => {
    using fixture = openVenueFixture()
    const entities = fixture.store()
    const journal = createEntityJournal(entities, { sequence: 0 })
    const address = '0xb'
    const profile = { accountId: '0xa', userId: 1, address, brokerId: 'x', createdAtMs: 2 }
    const key = { accountId: '0xa', publicKey: '5', parts: [{ bonus: -3n, note: '3' }] }
    journal.put('account', '0xa', profile)
    journal.put('key', 1, key)
    journal.flush()
    expect(readEntities<unknown>(entities, 'account')).toEqual([profile])
    expect(readEntities<unknown>(entities, 'key')).toEqual([key])
  })

  test.each([
    { is: '4', json: '{"v":4,"entity":{"holding":"1"}}' },
    { is: '2', json: '{"v":2,"entity":{"holding":{"$n":"1"}}}' },
    { is: 'undefined', json: '{"holding":"1"}' },
  ])('of version $is is refused, never read as something else', ({ is, json }) => {
    expect(() => decoded(json)).toThrow(`stored entity of version ${is}, this one knows 3`)
  })
})
