import type { ProcessPart } from '../../contract/operator/process.ts'
import { outsideRequest } from '../observing/request-context.ts'

/**
 * The timers, callbacks and detached promises of this file report and count their errors for a part, instead of ending
 * the process. Only this file starts timers (a test enforces it).
 */

type Report = (part: ProcessPart, error: unknown) => void

/** The default report: throws the error as if it were not guarded. */
const rethrow: Report = (_part, error) => {
  queueMicrotask(() => {
    throw error
  })
}

let report: Report = rethrow
const faultCounts = new Map<ProcessPart, number>()

/** Sets the receiver of this process's error reports. Returns a function that restores the default. */
export function reportFaultsTo(next: Report): () => void {
  report = next
  return () => {
    report = rethrow
  }
}

/** The number of unexpected errors of a part in this process. */
export function faultCount(part: ProcessPart): number {
  return faultCounts.get(part) ?? 0
}

function reportFault(part: ProcessPart, error: unknown): void {
  faultCounts.set(part, faultCount(part) + 1)
  report(part, error)
}

/** A kind of expected error: a class, a code such as `ENOENT`, or `system` for any error of a system call. */
export type Expected = (abstract new (...given: never[]) => Error) | string

/** Ignores an expected error; reports and counts any other. Never throws. */
export function reportUnexpected(
  part: ProcessPart,
  error: unknown,
  ...kinds: readonly Expected[]
): void {
  if (!kinds.some((kind) => matchesKind(kind, error))) reportFault(part, error)
}

/** A rejection handler that returns a default value; unexpected errors are reported and counted. */
export function defaultOnFailure<Value>(
  part: ProcessPart,
  value: Value,
  ...kinds: readonly Expected[]
): (error: unknown) => Value {
  return (error) => {
    reportUnexpected(part, error, ...kinds)
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

/** A callback whose errors are reported. After an error, `repair` gets the callback's first argument for a clean-up. */
export function guarded<Args extends readonly unknown[]>(
  part: ProcessPart,
  work: (...args: Args) => unknown,
  repair?: (error: unknown, subject: NoInfer<Args[0]>) => void,
): (...args: Args) => void {
  const failed = (error: unknown, args: Args) => {
    reportFault(part, error)
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

function attempt(part: ProcessPart, work: () => void): void {
  try {
    work()
  } catch (error) {
    reportFault(part, error)
  }
}

/** Repeats work every `ms` milliseconds, outside any request's context. The timer does not keep the process alive. */
export function every(part: ProcessPart, ms: number, work: () => unknown): NodeJS.Timeout {
  return setInterval(
    guarded(part, () => outsideRequest(work)),
    ms,
  ).unref()
}

/** Runs work once after `ms` milliseconds. */
export function after(part: ProcessPart, ms: number, work: () => unknown): NodeJS.Timeout {
  return setTimeout(guarded(part, work), ms)
}

/** Runs work in the event loop's next turn. */
export function nextTurn(part: ProcessPart, work: () => unknown): NodeJS.Immediate {
  return setImmediate(guarded(part, work))
}

/** Runs work in a microtask, after the current code has returned. */
export function inMicrotask(part: ProcessPart, work: () => unknown): void {
  queueMicrotask(guarded(part, work))
}

/** Reports the rejection of a promise that has no other handler. */
export function detached(part: ProcessPart, promise: Promise<unknown>): void {
  promise.catch((error: unknown) => reportFault(part, error))
}

/** Resolves in the event loop's next turn, so that other callers are served between two parts of long work. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** The result of a promise, or of `late` if the promise takes longer than `ms`. The work continues in either case. */
export async function settledWithin<Value, Late>(
  part: ProcessPart,
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
