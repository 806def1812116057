import type { EntityStore } from '../../core/ports.ts'
import {
  type AccountRows,
  CHUNK_ROWS,
  listName,
  type PastRows,
  type RowHead,
  type RowKind,
  textNumber,
} from './past-rows.ts'
import { type Columns, type HeadChoice, positionsIn } from './row-columns.ts'
import { createStoredRows } from './row-store.ts'

/** A history of an account: the latest rows in memory and the older rows in the store. */
export type RowList<Row, Facet> = {
  readonly find: (id: number) => Row | undefined
  /**
   * The row with the largest id up to `id`. For the id of a part, this is the part's row, because the ids of a row's
   * parts follow the row's id.
   */
  readonly findUpTo: (id: number) => Row | undefined
  /** The rows with one of these references, newest first. */
  readonly withReference: (...references: readonly number[]) => Row[]
  readonly select: (wanted: Wanted<Row, Facet>) => Selected<Row>
}

/** Selects rows of a history. Times are the rows' creation times. */
export type Wanted<Row, Facet> = HeadChoice & {
  readonly isWanted?: (facet: Facet) => boolean
  /** Additional rows to select from, such as open orders. */
  readonly also?: readonly Row[]
  /** The order of the rows; absent: newest first, in the order in which rows were appended. */
  readonly order?: RowOrder
}

export type RowOrder = { readonly by: 'atMs' | 'updatedAtMs'; readonly isAscending: boolean }

/** The selected rows in the requested order. */
export type Selected<Row> = {
  readonly total: number
  /** How many older rows of this history have been deleted. */
  readonly dropped: number
  readonly rows: (start: number, count: number) => Row[]
}

/** Opens the histories of accounts, including rows that have left memory. */
export type RowLists = {
  readonly list: <Row, Facet>(
    kind: RowKind<Row, Facet>,
    latest: AccountRows<Row>,
    amended?: (row: Row, ordinal: number) => Row,
  ) => RowList<Row, Facet>
}

export function createRowLists(past: PastRows, entities: Pick<EntityStore, 'load'>): RowLists {
  const stored = createStoredRows(past, entities)
  return {
    list: (kind, { account, rows: latest }, amended = (row) => row) => {
      const name = listName(kind, account)
      type Row = (typeof latest)[number]
      return rowList(kind, {
        latest,
        columns: () => stored.columns(name),
        // Only rows of this kind are stored under this name, so their type is certain.
        storedRow: (position, columns) =>
          amended(
            stored.rowAt(name, position, columns) as Row,
            columns.first * CHUNK_ROWS + position,
          ),
      })
    },
  }
}

type Sources<Row> = {
  readonly latest: readonly Row[]
  readonly columns: () => Columns
  readonly storedRow: (position: number, columns: Columns) => Row
}

/** Positions count the stored rows first, then the latest rows, then the additional rows. */
function rowList<Row, Facet>(
  kind: RowKind<Row, Facet>,
  { latest, columns, storedRow }: Sources<Row>,
): RowList<Row, Facet> {
  return {
    find: (id) => {
      const own = latest.find((row) => kind.head(row).id === id)
      if (own !== undefined) return own
      const all = columns()
      const position = all.ids.indexOf(id)
      return position < 0 ? undefined : storedRow(position, all)
    },
    findUpTo: (id) => {
      const all = columns()
      const own = latest.map((row) => kind.head(row).id)
      const [stored, kept] = [largestUpTo(all.ids, id), largestUpTo(own, id)]
      if ((own[kept] ?? -1) > (all.ids[stored] ?? -1)) return latest[kept]
      return stored < 0 ? undefined : storedRow(stored, all)
    },
    withReference: (...references) => {
      const own = latest.filter((row) => references.includes(kind.head(row).reference))
      const all = columns()
      const stored: Row[] = []
      for (const [position, reference] of all.references.entries())
        if (references.includes(reference)) stored.push(storedRow(position, all))
      return [...stored, ...own].reverse()
    },
    select: (wanted) => {
      const all = columns()
      const stored = all.ids.length
      const more = wanted.also ? [...latest, ...wanted.also] : latest
      const positions = storedPositions(all, wanted)
      for (const [at, row] of more.entries())
        if (isChosen(kind, row, wanted)) positions.push(stored + at)
      const ordered = inOrder(positions, wanted.order, rowRanks(all, more.map(kind.head)))
      return {
        total: ordered.length,
        dropped: all.first * CHUNK_ROWS,
        rows: (start, count) =>
          ordered
            .slice(start, start + count)
            .map((position) => more[position - stored] ?? storedRow(position, all)),
      }
    },
  }
}

/** The position of the largest id up to a bound; -1 if every id is larger. */
function largestUpTo(ids: readonly number[], bound: number): number {
  let found = -1
  for (const [position, each] of ids.entries())
    if (each <= bound && each > (ids[found] ?? -1)) found = position
  return found
}

function storedPositions<Row, Facet>(columns: Columns, wanted: Wanted<Row, Facet>): number[] {
  const { isWanted } = wanted
  // Only this history's facets are stored here, so their type is certain.
  return positionsIn(columns, wanted, (text) => isWanted?.(JSON.parse(text) as Facet) ?? true)
}

function isChosen<Row, Facet>(
  kind: RowKind<Row, Facet>,
  row: Row,
  { isWithin, isWanted, id, tag }: Wanted<Row, Facet>,
): boolean {
  const head = kind.head(row)
  return (
    (isWithin?.(head.atMs) ?? true) &&
    (isWanted?.(kind.facet(row)) ?? true) &&
    (id ?? head.id) === head.id &&
    (tag ? textNumber(tag) : head.tag) === head.tag
  )
}

/** Sort keys of rows: a time, then the id. */
type Ranks = {
  readonly of: (position: number, by: RowOrder['by']) => number
  readonly id: (position: number) => number
}

function rowRanks({ ids, ats, updates }: Columns, more: readonly RowHead[]): Ranks {
  const columns = { atMs: ats, updatedAtMs: updates } as const
  return {
    of: (position, by) => columns[by][position] ?? more[position - ids.length]?.[by] ?? 0,
    id: (position) => ids[position] ?? more[position - ids.length]?.id ?? 0,
  }
}

/** The positions in the requested order. Positions that are already sorted are not sorted again. */
function inOrder(positions: number[], order: RowOrder | undefined, ranks: Ranks): number[] {
  if (!order) return positions.reverse()
  const { by, isAscending } = order
  const compare = (a: number, b: number) =>
    ranks.of(a, by) - ranks.of(b, by) || ranks.id(a) - ranks.id(b)
  if (!isSorted(positions, compare)) positions.sort(compare)
  return isAscending ? positions : positions.reverse()
}

function isSorted(
  positions: readonly number[],
  compare: (a: number, b: number) => number,
): boolean {
  for (let at = 1; at < positions.length; at += 1)
    if (compare(positions[at - 1] ?? 0, positions[at] ?? 0) > 0) return false
  return true
}
