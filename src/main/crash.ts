import { crashFields } from '../core/log.ts'
import { reportFaultsTo } from '../core/loop/guarded.ts'
import type { Log } from '../core/ports.ts'

/** The exit code of an unexpected error (EX_SOFTWARE): another start may help, so the unit tries one. */
const CRASHED = 70

/** Logs the unexpected errors of timers and callbacks, which end nothing: the name and the place, as below. */
export function logFaults(log: Log): void {
  reportFaultsTo((part, error) => log.error('fault', { part, ...crashFields(error) }))
}

/**
 * Ends the process at the first error that reached nobody: what it left half done is unknown, and what was promised is
 * in the store. The name and the place are logged, not the message, which may quote what a caller sent.
 */
export function exitOnCrash(log: Log, exit: (code: number) => void): void {
  const end = (error: unknown): void => {
    log.error('uncaught', crashFields(error))
    exit(CRASHED)
  }
  logFaults(log)
  process.on('uncaughtException', end)
  process.on('unhandledRejection', end)
}

/** A log that counts the embedded venue's own faults as it passes them on. */
export function tallied(log: Log): { readonly log: Log; readonly faults: () => number } {
  let faults = 0
  const error: Log['error'] = (event, fields) => {
    if (event === 'venue_fault') faults += 1
    log.error(event, fields)
  }
  return { log: { ...log, error }, faults: () => faults }
}
