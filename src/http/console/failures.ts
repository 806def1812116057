import type { ErrorRow, NamedCount } from '../../contract/console/figures.ts'
import { CONSOLE_LIMITS } from '../../contract/console/limits.ts'
import { FAILURES, isFailureCode } from '../../contract/failures.ts'
import type { Clock } from '../../core/ports.ts'
import { createTally } from './tally.ts'

/** The failures that this process answered, in bounded memory. */
export type Failures = {
  readonly add: (row: ErrorRow) => void
  /** The latest failures of all codes, newest first. */
  readonly newest: () => readonly ErrorRow[]
  /** The latest failures of one code, newest first. */
  readonly ofCode: (code: string) => readonly ErrorRow[]
  /** The number of failures per code since the start, most frequent first. */
  readonly counts: () => readonly NamedCount[]
  /** The number of recent failures of this server or its venue, per code. */
  readonly faults: () => readonly NamedCount[]
}

/** Creates an empty record. Each code has its own rows, so that a flood of one code cannot displace others. */
export function createFailures(clock: Clock): Failures {
  const tally = createTally()
  const newest: ErrorRow[] = []
  const ofCode = new Map<string, ErrorRow[]>()

  function countLately(code: string, rows: readonly ErrorRow[]): number {
    const sinceMs = clock.nowMs() - CONSOLE_LIMITS.faultsWithinMs
    return isFault(code) ? rows.filter(({ atMs }) => atMs >= sinceMs).length : 0
  }

  return {
    add: (row) => {
      tally.bump(row.code)
      const rows = ofCode.get(row.code) ?? []
      ofCode.set(row.code, rows)
      pushBounded(rows, row, CONSOLE_LIMITS.errorsOfCodeMax)
      pushBounded(newest, row, CONSOLE_LIMITS.errorsMax)
    },
    newest: () => newest.toReversed(),
    ofCode: (code) => ofCode.get(code)?.toReversed() ?? [],
    counts: tally.counts,
    faults: () =>
      Array.from(ofCode, ([name, rows]) => ({ name, count: countLately(name, rows) })).filter(
        ({ count }) => count > 0,
      ),
  }
}

/** Codes with a 5xx status that the operator's settings cause, so they are not faults. */
const CHOSEN: ReadonlySet<string> = new Set(['not_configured', 'not_available'])

function isFault(code: string): boolean {
  return isFailureCode(code) && FAILURES[code].status >= 500 && !CHOSEN.has(code)
}

/** Appends a row, and drops the oldest rows beyond `max`. */
export function pushBounded<T>(rows: T[], row: T, max: number): void {
  rows.push(row)
  if (rows.length > max) rows.shift()
}
