import { COMMAND_LIMITS } from '../../contract/venue/commands.ts'
import type { EntityChange, EntityStore } from '../../core/ports.ts'

/** Named copies of the venue's state. */
export type Archive = {
  readonly names: () => readonly string[]
  /** Copies the stored state under a name, replacing a copy of that name. False if there are too many copies. */
  readonly keep: (name: string) => boolean
  /** Replaces the stored state with a copy. False for an unknown name. */
  readonly putBack: (name: string) => boolean
  /** Deletes the stored state but keeps the copies. */
  readonly clear: () => void
}

const PREFIX = 'kept:'
/** Separates kind and key in the key of a copied entity. No kind contains this character. */
const SEPARATOR = '\u0001'

/** The archive in the store of a venue's entities. Each method writes one transaction. */
export function openArchive(entities: EntityStore): Archive {
  const current = () => entities.kinds().filter((kind) => !kind.startsWith(PREFIX))
  const names = () =>
    entities
      .kinds()
      .filter((kind) => kind.startsWith(PREFIX))
      .map((kind) => kind.slice(PREFIX.length))
      .sort()

  function dropped(kind: string): EntityChange[] {
    return Array.from(entities.load(kind), ({ key }) => ({ kind, key, json: null }))
  }

  function kept(kind: string, into: string): EntityChange[] {
    return Array.from(entities.load(kind), ({ key, json }) => ({
      kind: into,
      key: kind + SEPARATOR + key,
      json,
    }))
  }

  function unpacked(from: string): EntityChange[] {
    return Array.from(entities.load(from), ({ key: packed, json }) => {
      const at = packed.indexOf(SEPARATOR)
      return { kind: packed.slice(0, at), key: packed.slice(at + 1), json }
    })
  }

  return {
    names,
    keep(name) {
      const into = PREFIX + name
      const known = names()
      if (!known.includes(name) && known.length >= COMMAND_LIMITS.snapshotsMax) return false
      entities.commit([...dropped(into), ...current().flatMap((kind) => kept(kind, into))])
      return true
    },
    putBack(name) {
      if (!names().includes(name)) return false
      entities.commit([...current().flatMap(dropped), ...unpacked(PREFIX + name)])
      return true
    },
    clear: () => entities.commit(current().flatMap(dropped)),
  }
}
