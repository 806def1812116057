import { expect, test } from 'bun:test'
import { STREAM_LIMITS } from '../../src/contract/stream/limits.ts'
import { createConnectionLimit } from '../../src/live/connection.ts'

const EACH = STREAM_LIMITS.connectionsPerAddress

test('there are as many connections as there may be, of which one address has its share; one that ends makes room', () => {
  const limit = createConnectionLimit(EACH + 1)
  const refusal = (address: string): unknown => {
    try {
      return limit.take(address) ?? 'taken'
    } catch (error) {
      return Object(error).meta
    }
  }
  for (let count = 0; count < EACH; count += 1) expect(refusal('one')).toBe('taken')
  expect(refusal('one')).toMatchObject({ limit: 'connections', max: EACH })
  expect(refusal('other')).toBe('taken')
  expect(refusal('third')).toMatchObject({ limit: 'clients', max: EACH + 1 })
  limit.free('one')
  expect([refusal('third'), limit.taken()]).toEqual(['taken', EACH + 1])
})
