import { isObject } from '../../core/json.ts'
import type { EntityChange } from '../../core/ports.ts'
import type { Observer } from '../state/observer.ts'
import type { EngineWorld } from '../state/world.ts'

/** A projection of engine events that is stored with the world: the same events give the same state. */
export type EngineJournal = {
  readonly name: string
  readonly observer: Observer
  /** Called with the world before its first event. */
  readonly begin?: (world: EngineWorld) => void
  /** The state as plain data; a map is the list of its entries. */
  readonly save: () => unknown
  /** Restores the data of `save` into a new journal. */
  readonly load: (saved: unknown) => void
  /** Rows that have left the journal for the store, each once. Absent for a journal that keeps all rows. */
  readonly leave?: () => readonly EntityChange[]
}

/** A journal over a state of numbers, lists and maps: rows are plain data. */
export function createEngineJournal(
  name: string,
  state: object,
  parts: Pick<EngineJournal, 'observer' | 'begin'>,
): EngineJournal {
  // Only `save` writes this data.
  return {
    name,
    ...parts,
    save: () => saved(state),
    load: (stored) => fill(state, stored as object),
  }
}

/** Rows of accounts or markets by their number. */
export type RowTable<Rows> = {
  readonly rows: Map<number, Rows>
  /** The rows of a subject; empty ones are created when missing. */
  readonly of: (subject: { readonly number: number }) => Rows
}

export function createRowTable<Rows>(empty: () => Rows): RowTable<Rows> {
  const rows = new Map<number, Rows>()
  return { rows, of: ({ number }) => rows.getOrInsertComputed(number, empty) }
}

/** A journal of rows by account or market. */
export type TableJournal<Rows> = EngineJournal & Pick<RowTable<Rows>, 'of'>

export function createTableJournal<Rows>(
  name: string,
  empty: () => Rows,
  observe: (of: RowTable<Rows>['of']) => Observer,
): TableJournal<Rows> {
  const { rows, of } = createRowTable(empty)
  return { ...createEngineJournal(name, rows, { observer: observe(of) }), of }
}

/** A journal of lists of rows by account or market. */
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

/** Fills lists and maps in place, because readers hold references to them. */
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
