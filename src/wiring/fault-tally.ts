import type { Log } from '../core/ports.ts'

/** A log that counts the embedded venue's own faults as it passes them on. */
export function tallied(log: Log): { readonly log: Log; readonly faults: () => number } {
  let faults = 0
  const error: Log['error'] = (event, fields) => {
    if (event === 'venue_fault') faults += 1
    log.error(event, fields)
  }
  return { log: { ...log, error }, faults: () => faults }
}
