import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  createPastRows,
  type PastRows,
  type RowKind,
  textNumber,
} from '../../../src/simulator/history/past-rows.ts'
import { createRowLists, type RowOrder } from '../../../src/simulator/history/row-list.ts'
import { openVenueFile } from '../../../src/store/entity-file.ts'
import { runs } from '../../runs.ts'

type Row = {
  readonly id: number
  readonly atMs: number
  readonly updatedAtMs: number
  readonly of: number
  readonly tag: string | null
  readonly market: number
}

const KIND: RowKind<Row, Pick<Row, 'market'>> = {
  name: 'rows',
  head: ({ id, atMs, updatedAtMs, of, tag }) => ({
    ...{ id, atMs, updatedAtMs, reference: of },
    tag: textNumber(tag),
  }),
  facet: ({ market }) => ({ market }),
}
const ACCOUNT = { number: 7 }

/** A history over a store, of which the test knows every row. */
function openHistory() {
  const entities = openVenueFile(':memory:')
  let [past, latest] = [createPastRows(), [] as Row[]]
  let lists = createRowLists(past, entities)
  const commit = () => entities.commit(past.leave?.() ?? [])
  return {
    keep: (row: Row) => past.keep(KIND, { account: ACCOUNT, rows: latest }, row),
    commit,
    /** As a restart finds it: the store, and what a snapshot of the world holds. */
    restart: () => {
      commit()
      const saved: unknown = JSON.parse(JSON.stringify([past.save(), latest]))
      const [counts, rows] = saved as [unknown, Row[]]
      const again: PastRows = createPastRows()
      again.load(counts)
      ;[past, latest, lists] = [again, rows, createRowLists(again, entities)]
    },
    list: () => lists.list(KIND, { account: ACCOUNT, rows: latest }),
    held: () => latest.length,
    rowsStored: () => entities.kinds().filter((kind) => kind.startsWith('engine-rows ')).length,
  }
}

const rowAt = (at: number, late: number): Row => ({
  ...{ id: 100 + at - late, atMs: 1000 * (at - late), updatedAtMs: 1000 * at, of: at % 50 },
  ...{ market: at % 3, tag: at % 5 === 0 ? `tag ${at % 20}` : null },
})

const ORDERS: readonly (RowOrder | undefined)[] = [
  undefined,
  { by: 'atMs', isAscending: true },
  { by: 'atMs', isAscending: false },
  { by: 'updatedAtMs', isAscending: true },
  { by: 'updatedAtMs', isAscending: false },
]

function sorted(rows: readonly Row[], order: RowOrder | undefined): Row[] {
  if (!order) return rows.toReversed()
  const by = rows.toSorted((a, b) => a[order.by] - b[order.by] || a.id - b.id)
  return order.isAscending ? by : by.reverse()
}

describe('a history whose older rows are in the store', () => {
  test('answers every question as the list of all rows would, before and after a commit and a restart', () => {
    const question = fc.record({
      order: fc.constantFrom(...ORDERS),
      market: fc.option(fc.nat(3)),
      tag: fc.option(fc.constantFrom('tag 0', 'tag 5', 'none')),
      from: fc.nat(1000),
      span: fc.nat(1200),
      start: fc.nat(900),
      before: fc.constantFrom('nothing', 'commit', 'restart'),
    })
    const asked = fc.tuple(fc.integer({ min: 0, max: 1000 }), fc.array(question, { maxLength: 6 }))
    fc.assert(
      fc.property(asked, ([count, questions]) => {
        const history = openHistory()
        const all = Array.from({ length: count }, (_, at) =>
          history.keep(rowAt(at, at % 7 === 0 ? Math.min(at, 40) : 0)),
        )
        for (const { order, market, tag, from, span, start, before } of questions) {
          if (before !== 'nothing') history[before]()
          const isWithin = (atMs: number) => atMs >= from * 1000 && atMs <= (from + span) * 1000
          const chosen = history.list().select({
            ...(order && { order }),
            ...{ isWithin, tag, also: [rowAt(5000, 4500)] },
            isWanted: (facet) => market === null || facet.market === market,
          })
          const expected = sorted(
            [...all, rowAt(5000, 4500)].filter(
              (row) =>
                isWithin(row.atMs) &&
                (market ?? row.market) === row.market &&
                (tag ?? row.tag) === row.tag,
            ),
            order,
          )
          expect(chosen.total).toBe(expected.length)
          expect(chosen.rows(start, 200)).toEqual(expected.slice(start, start + 200))
        }
        const { find, withReference } = history.list()
        expect([find(100), find(99)]).toEqual([all.find(({ id }) => id === 100), undefined])
        expect(withReference(13)).toEqual(all.filter((row) => row.of === 13).reverse())
      }),
      { numRuns: runs(40) },
    )
  })

  test('holds at most 255 rows in memory, and says how many of the oldest it keeps no more', () => {
    const history = openHistory()
    const count = 102_400 + 128 + 200
    for (let at = 0; at < count; at += 1) {
      history.keep(rowAt(at, 0))
      if (at % 5000 === 0) history.commit()
    }
    history.restart()
    expect(history.held()).toBeLessThan(256)
    const { total, dropped, rows } = history.list().select({})
    expect([dropped, total + dropped]).toEqual([128, count])
    expect(rows(total - 1, 5).map(({ id }) => id)).toEqual([100 + 128])
    expect(rows(0, 1)).toEqual([rowAt(count - 1, 0)])
    expect(history.rowsStored()).toBe(800)
    expect(history.list().find(100)).toBeUndefined()
  })

  test('keeps a row that may change in memory, with those after it', () => {
    const entities = openVenueFile(':memory:')
    const past = createPastRows()
    const kind: RowKind<{ id: number; isDone: boolean }, null> = {
      name: 'changing',
      head: ({ id }) => ({ id, atMs: id, updatedAtMs: id, reference: 0, tag: 0 }),
      facet: () => null,
      isFinal: ({ isDone }) => isDone,
    }
    const to = { account: ACCOUNT, rows: [] as { id: number; isDone: boolean }[] }
    const first = past.keep(kind, to, { id: 0, isDone: false })
    for (let id = 1; id < 400; id += 1) past.keep(kind, to, { id, isDone: true })
    expect(to.rows).toHaveLength(400)
    first.isDone = true
    past.keep(kind, to, { id: 400, isDone: true })
    expect(to.rows).toHaveLength(145)
    const chosen = createRowLists(past, entities).list(kind, to).select({})
    expect(chosen.total).toBe(401 - 256)
  })
})
