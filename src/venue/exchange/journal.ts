import type { EntityChange, EntityStore } from '../../core/ports.ts'
import { encodeEntity } from './entity-json.ts'

export type EntityKind = 'account' | 'key' | 'nonce' | 'scenario'

/** Collects what changed and writes it in one transaction, so that what was answered is what a restart finds. */
export type Journal = {
  /** Notes that an entity changed. It is read when flushed, so several changes cost one write. */
  readonly put: (kind: EntityKind, key: string | number, entity: object) => void
  readonly remove: (kind: string, key: string | number) => void
  /** Commits what was noted. When the store throws, the notes stay for the next flush. */
  readonly flush: () => void
}

/** A journal whose every commit also carries the counters. */
export function createJournal(entities: EntityStore, counters: object): Journal {
  const noted = new Map<string, Note>()
  const note = (kind: string, key: string | number, entity: object | null) =>
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

/** The kind and key the counters are stored under. */
export const COUNTERS = 'counters'

type Note = { readonly kind: string; readonly key: string; readonly entity: object | null }

function encoded({ kind, key, entity }: Note): EntityChange {
  return { kind, key, json: entity && encodeEntity(entity) }
}
