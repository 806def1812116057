import { crashFields } from '../core/log.ts'
import { reportFaultsTo } from '../core/loop/guarded.ts'
import type { Log } from '../core/ports.ts'

/** The exit code of an unexpected error (EX_SOFTWARE). The service unit restarts the process. */
const CRASH_EXIT_CODE = 70

/** Logs unexpected errors of timers and callbacks (name and location); the process continues. */
export function logFaults(log: Log): void {
  reportFaultsTo((part, error) => log.error('fault', { part, ...crashFields(error) }))
}

/**
 * Ends the process at the first uncaught error, because the state in memory is then unknown; durable data is in the
 * store. Logs the error's name and location, without the message, which may quote a caller's text.
 */
export function exitOnCrash(log: Log, exit: (code: number) => void): void {
  const end = (error: unknown): void => {
    log.error('uncaught', crashFields(error))
    exit(CRASH_EXIT_CODE)
  }
  logFaults(log)
  process.on('uncaughtException', end)
  process.on('unhandledRejection', end)
}

/** A log that also counts the embedded venue's own faults. */
export function createCountingLog(log: Log): { readonly log: Log; readonly faults: () => number } {
  let faults = 0
  const error: Log['error'] = (event, fields) => {
    if (event === 'venue_fault') faults += 1
    log.error(event, fields)
  }
  return { log: { ...log, error }, faults: () => faults }
}
