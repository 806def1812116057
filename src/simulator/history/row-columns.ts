import { CHUNK_ROWS, type ChunkIndex, textNumber } from './past-rows.ts'

/** The search values (`RowHead`) of all stored rows of a history, as columns, oldest first. */
export type Columns = {
  readonly [Name in Exclude<keyof ChunkIndex, 'names'>]: number[]
} & {
  /** The number that stands for each facet's text. */
  readonly names: Map<string, number>
  /** The number of the first chunk that is still stored. */
  first: number
}

/** Selects rows by their `RowHead`. An absent or null member does not restrict the selection. */
export type HeadChoice = {
  readonly isWithin?: (atMs: number) => boolean
  readonly id?: number | null
  readonly tag?: string | null
}

export function emptyColumns(): Columns {
  return {
    ids: [],
    ats: [],
    updates: [],
    references: [],
    tags: [],
    facets: [],
    names: new Map(),
    first: 0,
  }
}

export const NO_COLUMNS = emptyColumns()

/** Appends the search values of a chunk's rows, and removes the values of deleted chunks. */
export function addIndex(columns: Columns, index: ChunkIndex, first: number): void {
  const { names } = columns
  const numbers = index.names.map((text) => names.getOrInsert(text, names.size))
  columns.ids.push(...index.ids)
  columns.ats.push(...index.ats)
  columns.updates.push(...index.updates)
  columns.references.push(...index.references)
  columns.tags.push(...index.tags)
  columns.facets.push(...index.facets.map((facet) => numbers[facet] ?? 0))
  const gone = (first - columns.first) * CHUNK_ROWS
  if (gone <= 0) return
  const { ids, ats, updates, references, tags, facets } = columns
  for (const column of [ids, ats, updates, references, tags, facets]) column.splice(0, gone)
  columns.first = first
}

/** The positions of the selected rows. `isWanted` decides by the text of a facet. */
export function positionsIn(
  { ids, ats, tags, facets, names }: Columns,
  { isWithin, id = null, tag }: HeadChoice,
  isWanted: (facet: string) => boolean,
): number[] {
  const verdicts = Array.from(names.keys(), isWanted)
  const tagged = tag ? textNumber(tag) : null
  const isOther = (at: number) =>
    (id !== null && ids[at] !== id) || (tagged !== null && tags[at] !== tagged)
  const positions: number[] = []
  // A plain loop is faster, and a history has up to 100,000 rows.
  for (let at = 0; at < ids.length; at += 1) {
    if (!verdicts[facets[at] ?? 0] || isOther(at)) continue
    if (!isWithin || isWithin(ats[at] ?? 0)) positions.push(at)
  }
  return positions
}
