import { expect, test } from 'bun:test'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { createJournal, remember } from '../../../src/venue/exchange/journal.ts'

test.each([
  { kind: 'order', max: 1000 },
  { kind: 'trade', max: 500 },
  { kind: 'funding', max: 500 },
  { kind: 'closed', max: 500 },
  { kind: 'transfer', max: 500 },
] as const)(
  'an account keeps its last $max entries of $kind, in the store as in memory',
  ({ kind, max }) => {
    const store = openSqlite(':memory:', 0)
    const journal = createJournal(store.entities, {})
    const history: { readonly id: number }[] = []
    for (let id = 1; id <= max; id++) remember(journal, kind, history, { id })
    expect(history).toHaveLength(max)
    remember(journal, kind, history, { id: max + 1 })
    journal.flush()
    expect(history.map(({ id }) => id)).toEqual(Array.from({ length: max }, (_, at) => at + 2))
    expect([...store.entities.load(kind)]).toHaveLength(max)
    store.close()
  },
)
