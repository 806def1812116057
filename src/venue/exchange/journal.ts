import type { EntityChange, EntityStore } from '../../core/ports.ts'
import { encodeEntity } from './entity-json.ts'
import { HISTORY_MAX } from './limits.ts'

export type HistoryKind = keyof typeof HISTORY_MAX

export type EntityKind = HistoryKind | 'account' | 'key' | 'position' | 'nonce' | 'consumed'

/** Collects what changed and writes it in one transaction, so that what was answered is what a restart finds. */
export type Journal = {
  /** Notes that an entity changed. It is read when flushed, so several changes cost one write. */
  readonly put: (kind: EntityKind, key: string | number, entity: object) => void
  readonly remove: (kind: EntityKind, key: string | number) => void
  /** Commits what was noted. When the store throws, the notes stay for the next flush. */
  readonly flush: () => void
}

/** A journal whose every commit also carries the counters. */
export function createJournal(entities: EntityStore, counters: object): Journal {
  const noted = new Map<string, Note>()
  const note = (kind: EntityKind, key: string | number, entity: object | null) =>
    noted.set(`${kind} ${key}`, { kind, key: String(key), entity })
  return {
    put: note,
    remove: (kind, key) => note(kind, key, null),
    flush() {
      if (noted.size === 0) return
      const counted = { kind: COUNTERS, key: COUNTERS, entity: counters }
      entities.commit([...noted.values(), counted].map(encoded))
      noted.clear()
    },
  }
}

/** Appends to an account's history, dropping what is older than it keeps. */
export function remember<T extends { readonly id: number }>(
  journal: Journal,
  kind: Exclude<HistoryKind, 'day'>,
  history: T[],
  entry: T,
): void {
  history.push(entry)
  journal.put(kind, entry.id, entry)
  while (history.length > HISTORY_MAX[kind]) {
    const oldest = history.shift()
    if (oldest) journal.remove(kind, oldest.id)
  }
}

/** The kind and key the counters are stored under. */
export const COUNTERS = 'counters'

type Note = { readonly kind: string; readonly key: string; readonly entity: object | null }

function encoded({ kind, key, entity }: Note): EntityChange {
  return { kind, key, json: entity && encodeEntity(entity) }
}
