import { isObject } from '../../core/json.ts'
import type { EntityChange } from '../../core/ports.ts'
import type { Observer } from '../state/observer.ts'
import type { EngineWorld } from '../state/world.ts'

/** A projection of engine events that is stored with the world. The same events always give the same state. */
export type EngineJournal = {
  readonly name: string
  readonly observer: Observer
  /** Called with the world before the world's first event. */
  readonly begin?: (world: EngineWorld) => void
  /** The state as plain data. A map is saved as the list of its entries. */
  readonly save: () => unknown
  /** Restores into a new journal what `save` returned. */
  readonly load: (saved: unknown) => void
  /** Rows that move from the journal to the store, each returned once. Absent if the journal keeps all its rows. */
  readonly leave?: () => readonly EntityChange[]
}

/** A journal whose state consists of numbers, lists and maps of plain data. */
export function createEngineJournal(
  name: string,
  state: object,
  parts: Pick<EngineJournal, 'observer' | 'begin'>,
): EngineJournal {
  // Only `save` writes this data, so its type is certain.
  return {
    name,
    ...parts,
    save: () => saved(state),
    load: (stored) => fill(state, stored as object),
  }
}

/** Rows of accounts or markets, by the number of the account or market. */
export type RowTable<Rows> = {
  readonly rows: Map<number, Rows>
  /** The rows of an account or market. Missing rows are created empty. */
  readonly of: (subject: { readonly number: number }) => Rows
}

export function createRowTable<Rows>(empty: () => Rows): RowTable<Rows> {
  const rows = new Map<number, Rows>()
  return { rows, of: ({ number }) => rows.getOrInsertComputed(number, empty) }
}

/** A journal with rows per account or market. */
export type TableJournal<Rows> = EngineJournal & Pick<RowTable<Rows>, 'of'>

export function createTableJournal<Rows>(
  name: string,
  empty: () => Rows,
  observe: (of: RowTable<Rows>['of']) => Observer,
): TableJournal<Rows> {
  const { rows, of } = createRowTable(empty)
  return { ...createEngineJournal(name, rows, { observer: observe(of) }), of }
}

/** A journal with a list of rows per account or market. */
export function createListJournal<Row>(
  name: string,
  observe: (of: RowTable<Row[]>['of']) => Observer,
): TableJournal<Row[]> {
  return createTableJournal<Row[]>(name, () => [], observe)
}

function saved(state: unknown): unknown {
  if (state instanceof Map) return [...state]
  if (Array.isArray(state) || !isObject(state)) return state
  return Object.fromEntries(Object.entries(state).map(([name, each]) => [name, saved(each)]))
}

/** Fills the existing lists and maps in place, because readers keep references to them. */
function fill(state: object, stored: object): void {
  if (state instanceof Map)
    for (const [key, rows] of stored as [unknown, unknown][]) state.set(key, rows)
  else if (Array.isArray(state)) for (const row of stored as unknown[]) state.push(row)
  else for (const [name, each] of Object.entries(stored)) fillMember(state, name, each)
}

function fillMember(state: object, name: string, stored: unknown): void {
  const member: unknown = Reflect.get(state, name)
  if (isObject(member) || Array.isArray(member)) fill(member, stored as object)
  else Reflect.set(state, name, stored)
}
