import type { EntityChange, EntityStore } from '../../core/ports.ts'
import { COMMAND_LIMITS } from '../../spec/venue/commands.ts'

/** Venues that were kept under a name, beside the one that goes on. */
export type Archive = {
  readonly names: () => readonly string[]
  /** Keeps what is stored now under a name, in place of what had it. False when there are too many. */
  readonly keep: (name: string) => boolean
  /** Puts what was kept in the place of what is stored now. False when nothing has the name. */
  readonly putBack: (name: string) => boolean
  /** Drops everything but what was kept. */
  readonly clear: () => void
}

const PREFIX = 'kept:'
/** What separates a kind and a key in a key of their own; no kind has it. */
const SEPARATOR = '\u0001'

/** The archive in the store of a venue's entities. Each change is one transaction. */
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
