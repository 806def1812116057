import { isObject } from '../../../core/json.ts'
import type { EntityChange, EntityStore } from '../../../core/ports.ts'
import type { Steps } from '../../steps.ts'
import { dropped, keyOf, numberOf } from './keys.ts'
import { createAssembly } from './parts.ts'

/** The row that says which parts are the snapshot. Before version 3: the snapshot itself, in pieces. */
const SNAPSHOT = 'engine-snapshot'
export const PARTS = 'engine-part'

/** Written since snapshots are in parts; an older prepd, which reads the row as a snapshot, refuses it. */
const IN_PARTS_VERSION = 3

/** Parts read at a time. */
const PARTS_A_STEP = 8

/** Which parts are the snapshot, and the last request that happened in it. */
type Table = { readonly first: number; readonly end: number; readonly requestsTo: number }

type StoredSnapshot = {
  /** What it was made of; null when there is none. */
  readonly snapshot: unknown
  readonly requestsTo: number
  /** Rows of the table or pieces; and from which part, up to which, there may be any. */
  readonly rows: { readonly pieces: number; readonly from: number; readonly end: number }
}

/** The stored snapshot, read in turns. Parts of one that was never finished are left out. Throws RangeError when one is missing. */
export function* readSnapshot(entities: EntityStore): Steps<StoredSnapshot> {
  const pieces = Array.from(entities.load(SNAPSHOT), ({ json }) => json)
  const whole: unknown = pieces.length === 0 ? null : JSON.parse(pieces.join(''))
  const table = tableOf(whole)
  const assembly = createAssembly()
  let found = 0
  let from = table?.first ?? Number.POSITIVE_INFINITY
  let end = table?.end ?? 0
  for (const row of entities.load(PARTS, PARTS_A_STEP)) {
    const number = numberOf(row)
    from = Math.min(from, number)
    end = Math.max(end, number + 1)
    if (!table || number < table.first || number >= table.end) continue
    assembly.add(row.json)
    found += 1
    yield
  }
  if (table && found !== table.end - table.first) throw new RangeError('a snapshot lacks a part')
  return {
    snapshot: table ? assembly.tree() : whole,
    requestsTo: table?.requestsTo ?? 0,
    rows: { pieces: pieces.length, from: Math.min(from, end), end },
  }
}

/** Puts a snapshot in the place of the former, of which there are so many rows. */
export function switched(table: Table, formerRows: number): EntityChange[] {
  const json = JSON.stringify({ world: { version: IN_PARTS_VERSION }, ...table })
  return [
    { kind: SNAPSHOT, key: keyOf(0), json },
    // Pieces of before: one row is always left, which is the table.
    ...dropped(SNAPSHOT, 1, formerRows),
  ]
}

function tableOf(whole: unknown): Table | null {
  if (!isObject(whole) || !isObject(whole['world'])) return null
  if (whole['world']['version'] !== IN_PARTS_VERSION) return null
  const [first, end, requestsTo] = ['first', 'end', 'requestsTo'].map((name) => Number(whole[name]))
  if (first === undefined || end === undefined || requestsTo === undefined) return null
  return { first, end, requestsTo }
}
