import { isObject } from '../../core/json.ts'
import type { EntityChange, EntityStore } from '../../core/ports.ts'

type EntityKind = 'account' | 'key' | 'nonce' | 'scenario'

/** Collects changed entities, and writes them in one transaction. */
export type EntityJournal = {
  /** Marks an entity as changed. It is serialised when it is written, so several changes cost one write. */
  readonly put: (kind: EntityKind, key: string | number, entity: object) => void
  readonly remove: (kind: string, key: string | number) => void
  /** Writes the changed entities. If the store throws, the next flush writes them. */
  readonly flush: () => void
}

/** A journal that also writes the counters with every commit. */
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

/** The kind and the key under which the counters are stored. */
export const COUNTERS = 'counters'

type Note = { readonly kind: string; readonly key: string; readonly entity: object | null }

function encoded({ kind, key, entity }: Note): EntityChange {
  return { kind, key, json: entity && encodeEntity(entity) }
}

/**
 * The stored form of an entity: the version, and the entity with each bigint as `{"$n":"123"}`. Texts stay texts and
 * are never read as numbers.
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

/** The entity in a stored text. Throws RangeError if another version wrote it. */
function decodeEntity<T>(json: string): T {
  const stored: unknown = JSON.parse(json, revived)
  const version = isObject(stored) ? stored['v'] : undefined
  if (!isObject(stored) || version !== VERSION)
    throw new RangeError(`stored entity of version ${version}, this one knows ${VERSION}`)
  return stored['entity'] as T
}

/** Every stored entity of a kind. Throws RangeError if another version wrote one. */
export function readEntities<T>(entities: EntityStore, kind: string): T[] {
  return Array.from(entities.load(kind), ({ json }) => decodeEntity<T>(json))
}

function revived(_: string, value: unknown): unknown {
  return isObject(value) && typeof value['$n'] === 'string' ? BigInt(value['$n']) : value
}

/** Combines the commits of several writers into one transaction. */
type Batch = {
  /** The store that the writers use. Their commits are collected. */
  readonly entities: EntityStore
  /** Writes the collected changes in one transaction. If the store throws, the next flush writes them. */
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
