import { after, guarded } from '../core/loop/guarded.ts'

/** How a call is ended before its answer came. An `AbortSignal` is one. */
export type Ending = {
  readonly aborted: boolean
  readonly reason: unknown
  readonly addEventListener: (type: 'abort', listener: () => void) => void
  readonly removeEventListener: (type: 'abort', listener: () => void) => void
}

/** The ending of a call whose time is over after so many milliseconds; `clear` when it is over sooner. */
export type Deadline = Ending & { readonly clear: () => void }

/** A deadline. Those of the runtime's own signals cost a call several times as much. */
export function deadlineIn(ms: number): Deadline {
  const listeners = new Set<() => void>()
  let aborted = false
  const timer = after('upstream', ms, () => {
    aborted = true
    for (const listener of listeners) listener()
  })
  return {
    get aborted() {
      return aborted
    },
    get reason() {
      return aborted ? new DOMException('the call took too long', 'TimeoutError') : undefined
    },
    addEventListener: (_type, listener) => void listeners.add(listener),
    removeEventListener: (_type, listener) => void listeners.delete(listener),
    clear: () => clearTimeout(timer),
  }
}

/** The same ending as the runtime's own functions take one. */
export function signalOf(ending: Ending): AbortSignal {
  if (ending instanceof AbortSignal) return ending
  const controller = new AbortController()
  const abort = guarded('upstream', () => controller.abort(ending.reason))
  if (ending.aborted) abort()
  else ending.addEventListener('abort', abort)
  return controller.signal
}
