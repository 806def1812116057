import { nextTurn } from '../../core/loop/guarded.ts'
/** Lets all that is done in one turn of the loop be stored by one commit. */
export type CommitGroup = {
  /** Settles when what has been done is stored. Rejects with what the store threw, for everyone who waits for it. */
  readonly stored: () => Promise<void>
  /** The same for who only looked, and is not refused for it; where nobody waits, it is stored at once, and null. */
  readonly looked: () => Promise<void> | null
  /** Whether anybody waits. */
  readonly isOpen: () => boolean
}

/** A group over a commit that stores whatever was noted since the last one, and keeps it noted when it throws. */
export function createCommitGroup(
  commit: () => void,
  failed: (error: unknown) => void,
): CommitGroup {
  let waiting: PromiseWithResolvers<void> | null = null

  function settle(group: PromiseWithResolvers<void>): void {
    waiting = null
    try {
      commit()
      group.resolve()
    } catch (error) {
      group.reject(error)
    }
  }

  function open(): PromiseWithResolvers<void> {
    const group = Promise.withResolvers<void>()
    nextTurn('venue', () => settle(group))
    return group
  }

  return {
    stored: () => {
      waiting ??= open()
      return waiting.promise
    },
    looked: () => {
      // Whoever waits to have it stored gets the error.
      if (waiting) return Promise.allSettled([waiting.promise]).then(() => undefined)
      try {
        commit()
      } catch (error) {
        failed(error)
      }
      return null
    },
    isOpen: () => waiting !== null,
  }
}
