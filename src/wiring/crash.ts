import type { Log } from '../core/ports.ts'

/** An error that nobody expected (EX_SOFTWARE): another start may help, so the unit tries one. */
const CRASHED = 70

/**
 * Ends the process at the first error that reached nobody: what it left half done is unknown, and what was promised is
 * in the store. The name and the place are logged, not the message, which may quote what a caller sent.
 */
export function exitOnCrash(log: Log, exit: (code: number) => void): void {
  const end = (error: unknown): void => {
    const place = error instanceof Error ? placeOf(error) : undefined
    log.error('uncaught', {
      error: error instanceof Error ? error.name : typeof error,
      ...(place && { at: place }),
    })
    exit(CRASHED)
  }
  process.on('uncaughtException', end)
  process.on('unhandledRejection', end)
}

function placeOf({ stack }: Error): string | undefined {
  return stack
    ?.split('\n')
    .find((line) => /^\s+at /.test(line))
    ?.trim()
}
