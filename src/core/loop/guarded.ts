import type { Part } from '../../spec/operator/process.ts'

/**
 * Timers, callbacks and detached promises whose errors end nothing: each is reported with the part it belongs to and
 * counted, and the part goes on. Nothing else in this process starts a timer (a test enforces it).
 */

type Report = (part: Part, error: unknown) => void

/** Where nobody has taken reports over, an error reaches the process as if there were no guard. */
const rethrow: Report = (_part, error) => {
  queueMicrotask(() => {
    throw error
  })
}

let report: Report = rethrow
const counts = new Map<Part, number>()

/** Takes over the reports of this process; answers how to give them back. */
export function reportFaultsTo(next: Report): () => void {
  report = next
  return () => {
    report = rethrow
  }
}

/** How many unexpected errors a part has had in this process. */
export function faultCount(part: Part): number {
  return counts.get(part) ?? 0
}

function fault(part: Part, error: unknown): void {
  counts.set(part, faultCount(part) + 1)
  report(part, error)
}

/** An error that a caller can live with: one of a class, with a code such as `ENOENT`, or any of the `system`. */
export type Expected = (abstract new (...given: never[]) => Error) | string

/** Passes over an error that is expected; any other is reported and counted, and the caller goes on all the same. */
export function expected(part: Part, error: unknown, ...kinds: readonly Expected[]): void {
  if (!kinds.some((kind) => isOf(kind, error))) fault(part, error)
}

/** A handler of rejections that answers a value in their place; what is not expected is reported and counted. */
export function orElse<Value>(
  part: Part,
  value: Value,
  ...kinds: readonly Expected[]
): (error: unknown) => Value {
  return (error) => {
    expected(part, error, ...kinds)
    return value
  }
}

function isOf(kind: Expected, error: unknown): boolean {
  if (typeof kind !== 'string') return error instanceof kind
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  // What the runtime itself asks of the system, such as its memory, fails without a code.
  return kind === 'system' ? /^E[A-Z0-9]+$/.test(code) || 'syscall' in error : code === kind
}

/** The same callback, whose errors are reported; `repair` runs after one where its first argument may be left half done. */
export function guarded<Args extends readonly unknown[]>(
  part: Part,
  work: (...args: Args) => unknown,
  repair?: (error: unknown, subject: NoInfer<Args[0]>) => void,
): (...args: Args) => void {
  const failed = (error: unknown, args: Args) => {
    fault(part, error)
    if (repair) attempt(part, () => repair(error, args[0]))
  }
  return (...args) => {
    try {
      const done = work(...args)
      if (done instanceof Promise) done.catch((error: unknown) => failed(error, args))
    } catch (error) {
      failed(error, args)
    }
  }
}

function attempt(part: Part, work: () => void): void {
  try {
    work()
  } catch (error) {
    fault(part, error)
  }
}

/** Work that is done again and again, this far apart. The process does not wait for it. */
export function every(part: Part, ms: number, work: () => unknown): NodeJS.Timeout {
  return setInterval(guarded(part, work), ms).unref()
}

/** Work that is done once, after a wait. */
export function after(part: Part, ms: number, work: () => unknown): NodeJS.Timeout {
  return setTimeout(guarded(part, work), ms)
}

/** Work of the loop's next turn. */
export function nextTurn(part: Part, work: () => unknown): NodeJS.Immediate {
  return setImmediate(guarded(part, work))
}

/** Work that is done once the code under way has returned. */
export function afterThis(part: Part, work: () => unknown): void {
  queueMicrotask(guarded(part, work))
}

/** A promise that nobody waits for. */
export function detached(part: Part, promise: Promise<unknown>): void {
  promise.catch((error: unknown) => fault(part, error))
}

/** Settles in another turn of the loop, so that whoever waits there is answered between two pieces of long work. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
