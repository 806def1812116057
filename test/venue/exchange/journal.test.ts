import { expect, test } from 'bun:test'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { createJournal } from '../../../src/venue/exchange/journal.ts'
import type { Transfer } from '../../../src/venue/exchange/state.ts'
import { remember } from '../../../src/venue/exchange/transfers.ts'

test('an account keeps its last 500 transfers, in the store as in memory', () => {
  const store = openSqlite(':memory:', 0)
  const journal = createJournal(store.entities, {})
  const transfers: Transfer[] = []
  const same = { accountId: '0xa', side: 'DEPOSIT', amount: 1n, txId: '', chainId: '1' } as const
  for (let id = 1; id <= 501; id++) remember(journal, transfers, { ...same, id, atMs: id })
  journal.flush()
  expect(transfers.map(({ id }) => id)).toEqual(Array.from({ length: 500 }, (_, at) => at + 2))
  expect([...store.entities.load('transfer')]).toHaveLength(500)
  store.close()
})
