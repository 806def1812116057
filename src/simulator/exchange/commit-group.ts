import { nextTurn } from '../../core/loop/guarded.ts'
/** Stores all changes of one turn of the event loop in one commit. */
export type CommitGroup = {
  /**
   * Resolves when all changes made before the call are stored. Rejects with the store's error for every waiting caller.
   */
  readonly stored: () => Promise<void>
  /** Waits as `stored` does, but ignores errors of the store. If no caller waits, commits at once and returns null. */
  readonly looked: () => Promise<void> | null
  /** Whether a caller is waiting for a commit. */
  readonly isOpen: () => boolean
}

/** Groups calls of `commit`. It writes all pending changes; if it throws, they stay pending. */
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
      // The error is ignored here, because the callers that wait for `stored` receive it.
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
