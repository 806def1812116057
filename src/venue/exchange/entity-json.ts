import { isObject } from '../../core/json.ts'
import type { EntityStore } from '../../core/ports.ts'

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
