import type { EntityChange, EntityStore } from '../../../core/ports.ts'

/** Stores a snapshot and what was asked since: the one in pieces, the other one row a request. */
export type RequestLog = {
  /** The last snapshot's text; null when there is none. */
  readonly snapshot: () => string | null
  /** Every request since then, oldest first. */
  readonly since: () => Iterable<string>
  /** Notes a request. It is durable once `commit` has returned. */
  readonly append: (json: string) => void
  /** Writes what was noted in one transaction. When the store throws, the notes stay for the next one. */
  readonly commit: () => void
  /** Replaces snapshot and log by a snapshot, in one transaction. */
  readonly replace: (snapshot: string) => void
}

const PIECES = 'engine-snapshot'
const ENTRIES = 'engine-request'
/** A row of the store holds this many characters of a snapshot. */
const PIECE_CHARS = 1_000_000
const KEY_DIGITS = 15

export function openLog(entities: EntityStore): RequestLog {
  const stored = Array.from(entities.load(ENTRIES), ({ key, json }) => ({ key, json }))
  const pieces = Array.from(entities.load(PIECES), ({ json }) => json)
  let sequence = Number(stored.at(-1)?.key ?? 0)
  let pieceCount = pieces.length
  let firstKept = sequence - stored.length + 1
  let noted: EntityChange[] = []
  return {
    snapshot: () => (pieces.length === 0 ? null : pieces.join('')),
    since: () => stored.map(({ json }) => json),
    append: (json) => {
      sequence += 1
      noted.push({ kind: ENTRIES, key: keyOf(sequence), json })
    },
    commit: () => {
      if (noted.length === 0) return
      entities.commit(noted)
      noted = []
    },
    replace: (snapshot) => {
      const parts = piecesOf(snapshot)
      entities.commit([
        ...parts.map((json, at) => ({ kind: PIECES, key: keyOf(at), json })),
        ...dropped(PIECES, parts.length, pieceCount),
        ...dropped(ENTRIES, firstKept, sequence + 1),
      ])
      pieceCount = parts.length
      firstKept = sequence + 1
      noted = []
    },
  }
}

function piecesOf(text: string): string[] {
  const count = Math.ceil(text.length / PIECE_CHARS)
  return Array.from({ length: count }, (_, at) =>
    text.slice(at * PIECE_CHARS, (at + 1) * PIECE_CHARS),
  )
}

/** Deletions of the rows numbered from one up to another. */
function dropped(kind: string, from: number, to: number): EntityChange[] {
  const length = Math.max(0, to - from)
  return Array.from({ length }, (_, at) => ({ kind, key: keyOf(from + at), json: null }))
}

/** Rows are loaded in the order of their keys. */
function keyOf(number: number): string {
  return String(number).padStart(KEY_DIGITS, '0')
}
