import { expect, test } from 'bun:test'
import type { Session } from '../../../src/cluster/postgres/connection.ts'
import { createOwnClaims } from '../../../src/cluster/postgres/own-claims.ts'
import type { ListedValues } from '../../../src/store/connection/statement.ts'

test('every claim of a write that may not have been made is taken back, and no longer than its row can turn up', async () => {
  const own = createOwnClaims(() => 0)
  own.doubt('write', 'first')
  own.doubt('client order id', 'first')
  own.doubt('write', 'second')
  const released: unknown[] = []
  const session: Pick<Session, 'ask'> = {
    ask: async (_, { identities, attempts }: ListedValues) => {
      released.push([identities, attempts])
      return { rows: [], count: 0 }
    },
  }
  await own.release(session, 9_999)
  await own.release(session, 10_000)
  await own.release(session, 10_001)
  const all = [
    ['write', 'client order id', 'write'],
    ['first', 'first', 'second'],
  ]
  expect(released).toEqual([all, all])
})
