import { isObject } from '../../core/json.ts'

/**
 * How the venue's entities are stored: an envelope with the version, in it the entity with every bigint as
 * `{"$n":"123"}`. Text is stored as text, so none of it, whoever wrote it, is ever read as a number.
 */
type Envelope = { readonly v: typeof VERSION; readonly entity: object }

/** Written since balances are the engine's; an older prepd refuses it. Version 2 is read all the same. */
const VERSION = 3
const READABLE: ReadonlySet<unknown> = new Set([2, VERSION])

/** Reads one field of an entity as it was stored before versions: bigints were text, told by their field's name. */
export type Untagged = (name: string, value: unknown) => unknown

/** The text an entity is stored as. Its bigints need no listing: they are told by their value. */
export function encodeEntity(entity: object): string {
  const envelope: Envelope = { v: VERSION, entity }
  return JSON.stringify(envelope, (_, value) =>
    typeof value === 'bigint' ? { $n: String(value) } : value,
  )
}

/**
 * The entity of a stored text, of this version or from before versions; then `untagged` reads its fields. Throws
 * RangeError on one that a later version wrote.
 */
export function decodeEntity<T>(json: string, untagged: Untagged): T {
  const stored: unknown = JSON.parse(json, revived)
  if (!isObject(stored) || !('v' in stored)) return JSON.parse(json, untagged) as T
  if (!READABLE.has(stored['v']))
    throw new RangeError(`stored entity of version ${stored['v']}, this one knows ${VERSION}`)
  return stored['entity'] as T
}

function revived(_: string, value: unknown): unknown {
  return isObject(value) && typeof value['$n'] === 'string' ? BigInt(value['$n']) : value
}
