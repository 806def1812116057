import { isObject } from '../../core/json.ts'
import type { EntityChange, EntityStore } from '../../core/ports.ts'

type EntityKind = 'account' | 'key' | 'nonce' | 'scenario'

/** Collects changed entities and writes them in one transaction. */
export type EntityJournal = {
  /** Marks an entity as changed. It is serialised on flush, so that several changes cost one write. */
  readonly put: (kind: EntityKind, key: string | number, entity: object) => void
  readonly remove: (kind: string, key: string | number) => void
  /** Commits the changed entities. When the store throws, the next flush writes them. */
  readonly flush: () => void
}

/** A journal that writes the counters with every commit. */
export function createEntityJournal(entities: EntityStore, counters: object): EntityJournal {
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

/**
 * The stored form of the venue's entities: an envelope with the version, in it the entity with every bigint as
 * `{"$n":"123"}`. Text is stored as text and never read as a number.
 */
type Envelope = { readonly v: typeof VERSION; readonly entity: object }

const VERSION = 3

/** The stored text of an entity. */
export function encodeEntity(entity: object): string {
  const envelope: Envelope = { v: VERSION, entity }
  return JSON.stringify(envelope, (_, value) =>
    typeof value === 'bigint' ? { $n: String(value) } : value,
  )
}

/** The entity of a stored text. Throws RangeError for another version. */
function decodeEntity<T>(json: string): T {
  const stored: unknown = JSON.parse(json, revived)
  const version = isObject(stored) ? stored['v'] : undefined
  if (!isObject(stored) || version !== VERSION)
    throw new RangeError(`stored entity of version ${version}, this one knows ${VERSION}`)
  return stored['entity'] as T
}

/** Every stored entity of a kind. Throws RangeError for another version. */
export function readEntities<T>(entities: EntityStore, kind: string): T[] {
  return Array.from(entities.load(kind), ({ json }) => decodeEntity<T>(json))
}

function revived(_: string, value: unknown): unknown {
  return isObject(value) && typeof value['$n'] === 'string' ? BigInt(value['$n']) : value
}

/** Combines the commits of several writers of one store. */
type Batch = {
  /** The store for the writers, whose commits are collected. */
  readonly entities: EntityStore
  /** Writes the collected changes in one transaction. When the store throws, the next flush writes them. */
  readonly flush: () => void
}

export function createBatch(entities: EntityStore): Batch {
  let noted: EntityChange[] = []
  return {
    entities: {
      kinds: entities.kinds,
      load: entities.load,
      commit: (changes) => void noted.push(...changes),
    },
    flush() {
      if (noted.length === 0) return
      entities.commit(noted)
      noted = []
    },
  }
}
