import type { Part } from '../../contract/operator/process.ts'
import { outsideRequest } from '../observing/request-context.ts'

/**
 * The timers, callbacks and detached promises of this file report and count their errors for a part, instead of ending
 * the process. Only this file starts timers (a test enforces it).
 */

type Report = (part: Part, error: unknown) => void

/** The default report: throws the error as if it were not guarded. */
const rethrow: Report = (_part, error) => {
  queueMicrotask(() => {
    throw error
  })
}

let report: Report = rethrow
const counts = new Map<Part, number>()

/** Sets the receiver of this process's error reports. Returns a function that restores the default. */
export function reportFaultsTo(next: Report): () => void {
  report = next
  return () => {
    report = rethrow
  }
}

/** The number of unexpected errors of a part in this process. */
export function faultCount(part: Part): number {
  return counts.get(part) ?? 0
}

function fault(part: Part, error: unknown): void {
  counts.set(part, faultCount(part) + 1)
  report(part, error)
}

/** A kind of expected error: a class, a code such as `ENOENT`, or `system` for any error of a system call. */
export type Expected = (abstract new (...given: never[]) => Error) | string

/** Ignores an expected error; reports and counts any other. Never throws. */
export function expected(part: Part, error: unknown, ...kinds: readonly Expected[]): void {
  if (!kinds.some((kind) => matchesKind(kind, error))) fault(part, error)
}

/** A rejection handler that returns a default value; unexpected errors are reported and counted. */
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

function matchesKind(kind: Expected, error: unknown): boolean {
  if (typeof kind !== 'string') return error instanceof kind
  if (!(error instanceof Error)) return false
  const code = systemErrorCode(error)
  // Errors of the runtime's own system calls, such as reading memory usage, have `syscall` but no code.
  return kind === 'system' ? /^E[A-Z0-9]+$/.test(code) || 'syscall' in error : code === kind
}

/** The system's code of an error; '' without one. */
export function systemErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** A callback whose errors are reported; after an error, `repair` gets the first argument to clean it up. */
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

/** Repeats work every `ms` milliseconds, outside any request's context. The timer does not keep the process alive. */
export function every(part: Part, ms: number, work: () => unknown): NodeJS.Timeout {
  return setInterval(
    guarded(part, () => outsideRequest(work)),
    ms,
  ).unref()
}

/** Runs work once after `ms` milliseconds. */
export function after(part: Part, ms: number, work: () => unknown): NodeJS.Timeout {
  return setTimeout(guarded(part, work), ms)
}

/** Runs work in the event loop's next turn. */
export function nextTurn(part: Part, work: () => unknown): NodeJS.Immediate {
  return setImmediate(guarded(part, work))
}

/** Runs work in a microtask, after the current code has returned. */
export function afterThis(part: Part, work: () => unknown): void {
  queueMicrotask(guarded(part, work))
}

/** Reports the rejection of a promise that has no other handler. */
export function detached(part: Part, promise: Promise<unknown>): void {
  promise.catch((error: unknown) => fault(part, error))
}

/** Resolves in the event loop's next turn, so that other callers are served between two parts of long work. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** The result of a promise, or of `late` if the promise takes longer than `ms`. The work continues in either case. */
export async function settledWithin<Value, Late>(
  part: Part,
  ms: number,
  promise: Promise<Value>,
  late: () => Late,
): Promise<Value | Late> {
  const timeUp = Promise.withResolvers<void>()
  const timer = after(part, ms, timeUp.resolve)
  try {
    return await Promise.race([promise, timeUp.promise.then(late)])
  } finally {
    clearTimeout(timer)
  }
}
