import { nextTurn } from '../../core/loop/guarded.ts'
/** Stores all changes of one turn of the event loop with one commit. */
export type CommitGroup = {
  /** Settles when the changes so far are stored. Rejects with the store's error for all waiting callers. */
  readonly stored: () => Promise<void>
  /** The same for reads, which ignore the store's error. Null, after an immediate commit, without waiting callers. */
  readonly looked: () => Promise<void> | null
  /** Whether a caller waits for a commit. */
  readonly isOpen: () => boolean
}

/** A group for a commit that writes all pending changes, and keeps them pending when it throws. */
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
      // The callers that wait for `stored` get the error.
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
