import type { EntityChange, EntityStore } from '../../core/ports.ts'

/** Lets several writers of one store commit together. */
export type Batch = {
  /** The store as each of them sees it: a commit is only noted. */
  readonly entities: EntityStore
  /** Writes what was noted in one transaction. When the store throws, the notes stay for the next one. */
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
